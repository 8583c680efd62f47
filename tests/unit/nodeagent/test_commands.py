import pytest

from memory.errors import InvalidInput
from nodeagent.commands import ServerCommand, combined, parse_serve, read_commands


def test_a_command_is_split_as_a_shell_does():
    assert parse_serve("embed=llama-server -m 'my model.gguf' --port 8080") == ServerCommand(
        role="embed", command=("llama-server", "-m", "my model.gguf", "--port", "8080")
    )


@pytest.mark.parametrize("text", ["", "embed", "embed=", "cook=ls", "=ls", "embed='ls"])
def test_a_wrong_serve_is_refused(text):
    with pytest.raises(InvalidInput):
        parse_serve(text)


def test_a_file_has_a_table_for_each_role():
    text = """
    [embed]
    command = "llama-server --embedding"
    [llm]
    command = ["llama-server", "--port", "8082"]
    memory_bytes = 1000
    environment = {LLAMA_API_KEY = "k"}
    """
    assert read_commands(text) == (
        ServerCommand(role="embed", command=("llama-server", "--embedding")),
        ServerCommand(
            role="llm",
            command=("llama-server", "--port", "8082"),
            memory_bytes=1000,
            environment={"LLAMA_API_KEY": "k"},
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "embed",
        "embed = 3",
        "[cook]\ncommand = 'ls'",
        "[embed]",
        "[embed]\ncommand = []",
        "[embed]\ncommand = [1]",
        "[embed]\ncommand = 'ls'\ncolour = 'red'",
        "[embed]\ncommand = 'ls'\nmemory_bytes = 0",
        "[embed]\ncommand = 'ls'\nmemory_bytes = true",
        "[embed]\ncommand = 'ls'\nenvironment = {A = 1}",
        '[embed]\ncommand = "\'ls"',
    ],
)
def test_a_wrong_file_is_refused(text):
    with pytest.raises(InvalidInput):
        read_commands(text)


def test_no_role_is_served_twice():
    with pytest.raises(InvalidInput, match="embed"):
        combined((parse_serve("embed=a"), parse_serve("embed=b")))


def test_secrets_are_not_shown():
    assert "hush" not in repr(ServerCommand(role="llm", command=("a",), environment={"KEY": "hush"}))
