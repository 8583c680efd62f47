"""Every setting: name, default, unit and help in one table. `--help`, the docs and `doctor` print from it.

Each is read once, from the environment variable `MEMLANE_<NAME>`, except those whose `env` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import quote, urlsplit

from memory import networks
from memory.errors import InvalidInput
from memory.secrets import POLICIES


def _setting(default: Any, unit: str, help: str, *, env: str | None = None, secret: bool = False) -> Any:
    return field(default=default, metadata={"unit": unit, "help": help, "env": env, "secret": secret}, repr=not secret)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one process."""

    data_dir: str = _setting("./memlane-data", "path", "Folder of the store, the broker's files and the logs.")
    host: str = _setting("127.0.0.1", "address", "Address the API listens on; any but loopback needs keys.")
    keyless: int = _setting(
        1, "0 or 1", "1: on loopback the person at this machine needs no key; 0: everybody does, as behind a proxy."
    )
    port: int = _setting(8900, "port", "Port the API listens on.")
    threads: int = _setting(
        8, "threads", "Threads of the API; at most half of them write, and a quarter wait for a job, at a time."
    )
    streams: int = _setting(
        8,
        "streams",
        "Streams of events open at a time, each with its own thread; a tenant has half of them, a key 3/4 of that.",
    )
    stream_seconds: float = _setting(
        300.0, "seconds", "After this a stream of events ends, and whoever still wants it opens it again."
    )
    connections: int = _setting(500, "connections", "Connections to the API open at a time; they cost no thread.")
    queue_requests: int = _setting(
        200, "requests", "Requests that wait for one of the API's threads at a time; one more is refused with 503."
    )
    queue_seconds: float = _setting(
        10.0, "seconds", "A request that has waited so long for one of the API's threads is refused with 503."
    )
    receive_seconds: float = _setting(
        120.0,
        "seconds",
        "How long sending a request to the API may take; of more than `max_body_bytes` in proportion. After 10 s"
        " less than 500 bytes a second are too slow.",
    )
    idle_seconds: int = _setting(120, "seconds", "After this a connection to the API that nobody uses is closed.")
    key_rate: float = _setting(
        100.0, "requests/second", "How often one key may ask in the long run; more is 429. 0: as often as it likes."
    )
    key_burst: int = _setting(200, "requests", "How many requests a key that has rested may send at once.")
    local_rate: float = _setting(1000.0, "requests/second", "`key_rate` of who sits at this machine without a key.")
    local_burst: int = _setting(2000, "requests", "`key_burst` of who sits at this machine without a key.")
    stranger_rate: float = _setting(
        10.0, "requests/second", "How often one address is told that its key is not valid; more is 429. 0: always."
    )
    stranger_burst: int = _setting(200, "requests", "`key_burst` of an address without a valid key.")
    redis_url: str = _setting(
        "", "URL", "A Redis server to use instead of the embedded one.", env="REDIS_URL", secret=True
    )
    embed_url: str = _setting(
        "", "URL", "An embedding server to use instead of the embedded one (llama-server's wire)."
    )
    rerank_url: str = _setting("", "URL", "A reranking server to use instead of the embedded one.")
    node_key: str = _setting("", "key", "Key that model servers ask for.", secret=True)
    node: str = _setting("local", "name", "The node a worker process belongs to.")
    interactive_slots: int = _setting(2, "slots", "Interactive model calls at a time on a node.")
    background_slots: int = _setting(1, "slots", "Background model calls at a time on a node.")
    embed_model: str = _setting("all-MiniLM-L6-v2", "name", "Name of the embedding model, kept with every vector.")
    embed_dimension: int = _setting(384, "numbers", "Length of a vector of the embedding model.")
    interactive_timeout: float = _setting(10.0, "seconds", "How long an interactive model call may take in all.")
    question_seconds: float = _setting(
        3.0,
        "seconds",
        "The longest that a search waits for the vector of its question; then it goes on with full text and says so.",
    )
    rerank_seconds: float = _setting(
        1.0, "seconds", "How long reading the best results again should take: a slow reranker is sent fewer of them."
    )
    background_timeout: float = _setting(120.0, "seconds", "How long one background model call may take.")
    lease_seconds: float = _setting(120.0, "seconds", "After this a work item that nobody reports on is sent again.")
    writer_lease_seconds: float = _setting(15.0, "seconds", "How long the writer's lease lives without renewal.")
    sweep_seconds: float = _setting(3.0, "seconds", "How often the sweeper looks for work that was lost.")
    max_attempts: int = _setting(3, "attempts", "Attempts of a work item before it is failed.")
    wait_seconds: float = _setting(30.0, "seconds", "The longest a request with wait=true waits.")
    max_body_bytes: int = _setting(16 * 1024 * 1024, "bytes", "The largest request body.")
    max_document_chars: int = _setting(5_000_000, "characters", "The largest document.")
    max_compress_chars: int = _setting(
        200_000, "characters", "The longest text that `POST /v1/compress` cuts down; 3 to 10 seconds of the embedder."
    )
    max_file_bytes: int = _setting(50 * 1024 * 1024, "bytes", "The largest file that may be uploaded.")
    max_import_bytes: int = _setting(1024**3, "bytes", "The largest export that may be imported.")
    read_seconds: float = _setting(
        45.0, "seconds", "Processor time that reading one file may take; by the clock eight times that."
    )
    read_memory_bytes: int = _setting(1024**3, "bytes", "Address space that the process reading one file may use.")
    max_batch_documents: int = _setting(500, "documents", "The most documents of one batch.")
    allow_private_urls: str = _setting(
        "", "networks",
        "Private networks whose pages may be fetched, such as `192.168.1.0/24, fd12::/64`; none: the public web alone.",
    )  # fmt: skip
    source_slots: int = _setting(
        4, "slots", "Pages and files that are fetched and read at a time; the others wait and hold nothing up."
    )
    fetch_seconds: float = _setting(20.0, "seconds", "How long fetching a page may take in all, by the wall clock.")
    fetch_bytes: int = _setting(5 * 1024 * 1024, "bytes", "The largest page that is fetched, unpacked.")
    max_memory_chars: int = _setting(10_000, "characters", "The longest memory written directly.")
    search_memory_bytes: int = _setting(
        1024**3, "bytes", "Resident search arrays kept before the least used is dropped."
    )
    search_exact_rows: int = _setting(
        50_000, "rows", "Up to so many rows of a space a search compares every vector; beyond, those of the best codes."
    )
    search_native: int = _setting(1, "0 or 1", "1: search with the native part where it is installed.")
    scratchpad_seconds: float = _setting(
        86_400.0, "seconds", "How long a session's scratchpad is kept after it was last written."
    )
    scratchpad_chars: int = _setting(16_000, "characters", "The most that one scratchpad holds.")
    scratchpads: int = _setting(
        10_000, "scratchpads", "The most that one tenant has at a time; they are in the broker's memory."
    )
    query_cache: int = _setting(2048, "queries", "Query vectors kept in memory.")
    time_factor: float = _setting(1.0, "factor", "Divides the waits above in tests; 1 in production.")
    log_level: str = _setting("info", "level", "debug, info, warning or error.")
    writer: str = _setting("", "name", "Name that the reconcile worker holds the writer's lease by; set by `up`.")
    nodes: str = _setting("", "path", "Inventory of the fleet (TOML); without one there is one node, `local`.")
    pause_file: str = _setting(
        "",
        "path",
        "Nodes that are lent out, with an end that must be there; when empty `/run/memlane/paused.json` for a fleet, "
        "else `run/paused.json` in the data folder.",
    )
    fallback_seconds: float = _setting(
        10.0, "seconds", "After this without a background node, interactive nodes help out."
    )
    return_seconds: float = _setting(30.0, "seconds", "After this with a background node again, they stop helping.")
    breaker_failures: int = _setting(
        3, "failures", "Failures in a row after which a worker takes its node out of rotation."
    )
    breaker_seconds: float = _setting(
        20.0, "seconds", "The longest pause between probes of a node that is out of rotation."
    )
    url: str = _setting("http://127.0.0.1:8900", "URL", "Where the command line finds the API.")
    api_key: str = _setting("", "key", "Key the command line sends.", secret=True)
    admin_key: str = _setting(
        "", "key", "Key that `memlane keys` and `memlane tenants` send with `--url`.", secret=True
    )
    oidc_issuer: str = _setting(
        "", "URL", "The issuer whose ID tokens sign people in, exactly as its tokens name it; with none, nobody is."
    )
    oidc_audience: str = _setting("", "name", "The client id of this server at the issuer; a token has to be for it.")
    oidc_jwks_url: str = _setting(
        "", "URL", "Where the issuer's keys are; when empty, where its discovery document says."
    )
    oidc_admins: str = _setting(
        "", "names", "Subjects and verified e-mail addresses of the people who administer, with commas between them."
    )
    redis_password: str = _setting(
        "", "password", "Put into `REDIS_URL` when that names none.", env="REDIS_PASSWORD", secret=True
    )
    task_events: int = _setting(0, "0 or 1", "Whether workers tell Flower of each task; set by `up --flower`.")
    flower_host: str = _setting("127.0.0.1", "address", "Address Flower listens on.")
    flower_port: int = _setting(5555, "port", "Port Flower listens on.")
    flower_password: str = _setting("", "password", "Password of Flower's user `memlane`.", secret=True)
    llm_url: str = _setting("", "URL", "An LLM server (llama-server's wire); with none, rules decide and extract.")
    llm_model: str = _setting("", "name", "Name the LLM is asked and recorded by; empty: what its server calls itself.")
    secrets: str = _setting(
        "redact",
        "allow, redact or refuse",
        "What happens to a fact that holds a key, token, password or card number.",
    )


# Of redis-py.
_BROKER_SCHEMES = ("redis://", "rediss://", "unix://")
_TYPES: Mapping[str, Callable[[str], Any]] = {"str": str, "int": int, "float": float}


def environment_name(name: str) -> str:
    """Return the environment variable of a setting."""
    (known,) = (item for item in fields(Settings) if item.name == name)
    return str(known.metadata["env"] or f"MEMLANE_{name.upper()}")


def from_environ(environ: Mapping[str, str], **overrides: Any) -> Settings:
    """Read the settings.

    Args:
        environ: the process environment.
        **overrides: values that win over the environment.

    Returns:
        The settings, converted to the type of their default.

    Raises:
        InvalidInput: a value cannot be read as its type, or the data folder has no name.
    """
    values: dict[str, Any] = {}
    for item in fields(Settings):
        text = environ.get(environment_name(item.name))
        if text is None or item.name in overrides:
            continue
        try:
            values[item.name] = _TYPES[str(item.type)](text)
        except ValueError as error:
            message = f"{environment_name(item.name)} must be of type {item.type}, not {text!r}."
            raise InvalidInput(message, field=environment_name(item.name)) from error
    settings = Settings(**{**values, **overrides})
    if not settings.data_dir.strip():
        # An unset shell variable; the working folder would quietly become the store.
        raise InvalidInput("The data folder has no name; name one.", field=environment_name("data_dir"))
    _check_address(settings.redis_url)
    networks.read(settings.allow_private_urls, field=environment_name("allow_private_urls"))
    if settings.source_slots < 1:
        # No page or file would ever be read, and nothing would say so.
        message = f"{environment_name('source_slots')} must be 1 or more, not {settings.source_slots}."
        raise InvalidInput(message, field=environment_name("source_slots"))
    if settings.secrets not in POLICIES:
        message = f"{environment_name('secrets')} must be {', '.join(POLICIES[:-1])} or {POLICIES[-1]}."
        raise InvalidInput(message, field=environment_name("secrets"))
    return _with_password(settings)


def secret_variables() -> tuple[str, ...]:
    """Return the environment variables of the secret settings; each can be read from `<variable>_FILE` instead."""
    return tuple(environment_name(item.name) for item in fields(Settings) if item.metadata["secret"])


def _check_address(url: str) -> None:
    """Refuse what no broker can be reached at; the address is not repeated, because it may hold a password."""
    if not url:
        return
    if not url.startswith(_BROKER_SCHEMES):
        message = f"REDIS_URL must begin with {', '.join(_BROKER_SCHEMES[:-1])} or {_BROKER_SCHEMES[-1]}."
        raise InvalidInput(message, field="REDIS_URL")
    try:
        _ = urlsplit(url).port
    except ValueError as error:
        raise InvalidInput(f"REDIS_URL cannot be read: {error}.", field="REDIS_URL") from error


def _with_password(settings: Settings) -> Settings:
    scheme, _, rest = settings.redis_url.partition("://")
    authority, slash, path = rest.partition("/")
    login, _, address = authority.rpartition("@")
    user, _, own = login.partition(":")
    if not settings.redis_password or own or not address:
        return settings
    url = f"{scheme}://{user}:{quote(settings.redis_password, safe='')}@{address}{slash}{path}"
    return replace(settings, redis_url=url)
