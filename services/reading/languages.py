"""Source code by the ending of its name: what the fence that holds it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_NAMED = """
    python py pyi pyw|javascript js mjs cjs jsx|typescript ts mts cts tsx|java java|kotlin kt kts|scala scala|go go
    |rust rs|c c h|cpp cc cpp cxx hh hpp hxx|csharp cs|swift swift|objectivec m mm|ruby rb|php php|perl pl pm|lua lua
    |r r|julia jl|haskell hs|ocaml ml mli|elixir ex exs|erlang erl hrl|clojure clj cljs edn|lisp lisp el|fsharp fs fsx
    |dart dart|zig zig|nim nim|bash sh bash zsh|fish fish|powershell ps1 psm1|bat bat cmd|sql sql|graphql graphql gql
    |proto proto|yaml yaml yml|toml toml|ini ini cfg conf|properties properties|xml xml xsd xsl xslt wsdl rss atom
    |css css|scss scss|less less|vue vue|svelte svelte|makefile mk|cmake cmake|dockerfile dockerfile|hcl tf hcl
    |diff diff patch|latex tex|groovy groovy gradle|vb vb|pascal pas|fortran f f90 f95|asm asm s|verilog v sv|vhdl vhd
    |solidity sol|nix nix|json5 json5
"""
LANGUAGES: Final[Mapping[str, str]] = {
    suffix: words[0]
    for words in (line.split() for line in _NAMED.replace("\n", " ").split("|"))
    for suffix in words[1:]
}
