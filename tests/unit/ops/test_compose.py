"""The containers, proven without an engine: commands start, settings exist, everything named is declared."""

import importlib
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from memory.inventory import parse
from memory.settings import Settings, environment_name, from_environ, secret_variables

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
OURS = {name: one for name, one in SERVICES.items() if one.get("build")}
LLAMA = {name: one for name, one in SERVICES.items() if "llama" in one["image"]}
VARIABLES = {environment_name(one.name) for one in fields(Settings)}
# A pinned tag has a version of three numbers or a build number.
PINNED = re.compile(r"[\w./-]+:(?:[\w-]*-)?(?:v?\d+\.\d+\.\d+|b\d+)(?:-[\w.]+)*")
DEFAULT = re.compile(r"\$\{(?P<name>\w+):-(?P<default>[^}]*)\}")


def filled(text):
    """What the engine makes of a text when no variable is set."""
    return DEFAULT.sub(lambda found: found["default"], str(text)).replace("$$", "$")


def environment(service):
    return {name: filled(value) for name, value in service.get("environment", {}).items()}


def flags(service):
    words = [str(word) for word in service["command"]]
    return {word: after for word, after in zip(words, [*words[1:], ""], strict=True) if word.startswith("-")}


def test_the_services_of_a_host_and_a_node_are_all_there():
    assert set(SERVICES) == set(
        "redis api host reconcile beat flower interactive background agent node embed rerank llm".split()
    )


@pytest.mark.parametrize("name", [name for name, one in OURS.items() if one["command"][0] != "sleep"])
def test_the_command_is_an_entry_point_that_starts(name):
    program, *words = OURS[name]["command"]
    if program == "python":
        assert words[0] == "-m"
        module, *words = words[1:]
        package = importlib.import_module(module)
        entry = importlib.import_module(f"{module}.__main__") if hasattr(package, "__path__") else package
        command = [sys.executable, "-m", module]
    else:
        entry = importlib.import_module("workers.cli")
        command = [str(Path(sys.executable).parent / program)]
    assert callable(entry.main)
    if words:
        # The arguments before --help are read and refused when they are wrong.
        helped = subprocess.run([*command, *words, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
        assert helped.returncode == 0, helped.stderr


def test_a_command_that_is_wrong_would_be_noticed():
    command = [sys.executable, "-m", "workers", "hots", "--help"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 2


def test_every_variable_is_in_the_settings_table():
    named = set(re.findall(r"\b(?:MEMLANE|REDIS)_[A-Z_]+\b", TEXT))

    assert named - VARIABLES - {f"{name}_FILE" for name in secret_variables()} == set()


@pytest.mark.parametrize("name", OURS)
def test_every_value_can_be_read_as_its_setting(name):
    from_environ(environment(OURS[name]))


@pytest.mark.parametrize("name", OURS)
def test_secrets_come_from_files_that_the_service_has(name):
    told = environment(OURS[name])
    files = [value for variable, value in told.items() if variable.endswith("_FILE")]

    assert set(told) & set(secret_variables()) <= {"REDIS_URL"}
    assert "@" not in told.get("REDIS_URL", "")
    assert {f"/run/secrets/{secret}" for secret in OURS[name]["secrets"]} == set(files)


def test_only_the_truth_plane_has_the_data():
    having = {name for name, one in SERVICES.items() if "data:/data" in one.get("volumes", [])}
    assert having == {"api", "host", "reconcile"}


def test_both_lanes_of_the_node_meet_at_one_gate():
    assert SERVICES["interactive"]["volumes"] == SERVICES["background"]["volumes"] == ["gate:/data"]
    assert "MEMLANE_DATA_DIR=/data" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SERVICES)
def test_images_are_pinned(name):
    assert PINNED.fullmatch(filled(SERVICES[name]["image"]))


def test_the_base_of_our_image_is_pinned_and_its_packages_have_hashes():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (base,) = [line.split()[1] for line in lines if line.startswith("FROM")]

    assert PINNED.fullmatch(base)
    assert base.startswith("python:3.11.")
    assert any("--require-hashes" in line and "requirements.lock" in line for line in lines)
    assert [line for line in lines if line.startswith("USER")] == ["USER memlane"]


@pytest.mark.parametrize("image", ["redis", "redis:latest", "redis:7", "redis:alpine", "llama.cpp:server"])
def test_a_tag_that_moves_would_be_noticed(image):
    assert not PINNED.fullmatch(image)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_checked_limited_restarted_and_has_no_rights_to_gain(name):
    service = SERVICES[name]
    limits = service["deploy"]["resources"]["limits"]

    assert len(service["healthcheck"]["test"]) >= 2
    assert service["healthcheck"]["timeout"]
    assert service["restart"] == "unless-stopped"
    assert float(limits["cpus"]) > 0
    assert re.fullmatch(r"\d+[mg]", limits["memory"])
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["logging"]["options"]["max-size"]


@pytest.mark.parametrize("name", ["host", "reconcile", "interactive", "background"])
def test_a_worker_is_well_while_its_own_heartbeat_is_heard(name):
    node = "node-0" if name in ("interactive", "background") else "local"

    assert SERVICES[name]["healthcheck"]["test"][-1] == f"heartbeat:{name}@{node}"


def test_everything_that_is_named_is_declared_and_the_other_way_round():
    for kind in ("secrets", "networks"):
        used = {one for service in SERVICES.values() for one in service.get(kind, [])}
        assert used == set(COMPOSE[kind]), kind
    mounts = [mount.split(":")[0] for one in SERVICES.values() for mount in one.get("volumes", [])]
    assert {mount for mount in mounts if re.fullmatch(r"\w+", mount)} == set(COMPOSE["volumes"])
    assert all((ROOT / mount).exists() for mount in mounts if mount.startswith("./"))


def test_what_a_service_waits_for_exists_and_is_checked():
    for service in SERVICES.values():
        for other in service.get("depends_on", {}):
            assert SERVICES[other]["healthcheck"]["test"]
        mode = service.get("network_mode")
        assert mode is None or mode.removeprefix("service:") in SERVICES


def test_nothing_is_published_but_on_loopback():
    ports = [filled(port) for one in SERVICES.values() for port in one.get("ports", [])]

    assert ports == ["127.0.0.1:8900:8900", "127.0.0.1:5555:5555"]
    assert COMPOSE["networks"]["fleet"] == {"internal": True}


@pytest.mark.parametrize("name", LLAMA)
def test_a_model_server_asks_for_the_key_and_is_checked_on_its_own_port(name):
    told = flags(LLAMA[name])

    assert told["--api-key-file"] == "/run/secrets/node_key"
    assert LLAMA[name]["healthcheck"]["test"][-1] == f"http://127.0.0.1:{told['--port']}/health"
    assert LLAMA[name]["volumes"][0].endswith(":/models:ro")


@pytest.mark.parametrize("name", ["embed", "rerank"])
def test_no_input_that_fits_the_context_is_refused_for_its_length(name):
    told = flags(LLAMA[name])
    assert told["-c"] == told["-b"] == told["-ub"]


def test_each_model_server_is_started_for_its_work():
    assert flags(LLAMA["embed"])["--pooling"] == "mean"
    assert "--embedding" in flags(LLAMA["embed"])
    assert "--rerank" in flags(LLAMA["rerank"])
    assert "--jinja" in flags(LLAMA["llm"])
    assert not {"--embedding", "--rerank"} & set(flags(LLAMA["llm"]))


def test_the_inventory_tells_where_the_model_servers_are():
    (node,) = parse((ROOT / "ops" / "compose" / "inventory.toml").read_text(encoding="utf-8"))
    ports = {name: int(flags(one)["--port"]) for name, one in LLAMA.items()}

    assert node.host in SERVICES
    assert all(one["network_mode"] == f"service:{node.host}" for one in LLAMA.values())
    assert (node.embed_port, node.rerank_port) == (ports["embed"], ports["rerank"])
    assert node.slots == int(flags(LLAMA["embed"])["-np"])
    truth = environment(SERVICES["api"])
    assert f"/app/{(ROOT / 'ops/compose/inventory.toml').relative_to(ROOT)}" == truth["MEMLANE_NODES"]


def test_the_broker_keeps_what_it_was_given():
    lines = (ROOT / "ops" / "compose" / "redis.conf").read_text(encoding="utf-8").splitlines()
    told = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))

    assert told["appendonly"] == "yes"
    assert told["appendfsync"] == "everysec"
    assert told["maxmemory-policy"] == "noeviction"
    # A rewrite of its file needs a copy of what changed meanwhile.
    limit = SERVICES["redis"]["deploy"]["resources"]["limits"]["memory"]
    assert int(limit.removesuffix("m")) >= 2 * int(told["maxmemory"].removesuffix("mb"))


def test_the_secrets_are_made_once_and_the_folder_is_closed(tmp_path):
    script = tmp_path / "ops" / "compose" / "make-secrets.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(ROOT / "ops" / "compose" / "make-secrets.sh", script)

    made = []
    for _ in range(2):
        subprocess.run(["sh", str(script)], check=True, capture_output=True)
        made.append({file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "secrets").iterdir()})

    assert made[0] == made[1]
    assert {name: Path(one["file"]).name for name, one in COMPOSE["secrets"].items()} == {
        name: name for name in made[0]
    }
    assert all(re.fullmatch(r"[0-9a-f]{48}", secret) for secret in made[0].values())
    assert len(set(made[0].values())) == 3
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
