"""Writes docs/library.md from the code: the parts of `Memory`, their methods, the values they return, the errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cached_property
from importlib import import_module

import axiommind
from axiommind.errors import AxmError
from axiommind.memory import Memory
from axiommind.memory_parts import MemoryParts

__all__ = ["page", "parts"]

# What parts ask of each other. Not for others.
_INSIDE = {
    "Documents.index_into",
    "Recall.answer_question",
    "Recall.project_of",
    "Recall.reading",
    "Recall.telling",
    "Recall.with_cache",
    "Search.tasks_near",
    "Search.vectors",
}
_OPENING = """# The library

Everything that the command line, the hooks and the MCP server do is a call of this library. What is named in
`axiommind.__all__` is stable; the modules behind it may move.

```python
from axiommind import Memory

memory = Memory()  # the home of AXM_HOME, or ~/.axiommind
memory.index()  # read what is new
everywhere = memory.scope(all_projects=True)
for hit in memory.search("flaky test", everywhere).hits:
    print(hit.citation.text, hit.snippet.text)
for task in memory.tasks.list(everywhere, statuses=["pending"]):
    print(task.title)
```

A `Memory` holds no connection open: each call opens what it needs and closes it again. Errors are subclasses of
`AxmError`, with a `message`, a `hint` and the exit code that the command line uses.
"""


def parts() -> dict[str, type]:
    """The public parts of a memory by name, each with its class."""
    found = {}
    for name, one in {**vars(MemoryParts), **vars(Memory)}.items():
        if isinstance(one, cached_property) and not name.startswith("_"):
            lines = inspect.getsource(one.func)
            module, made = re.findall(r"from ([\w.]+) import (\w+)", lines)[-1]
            found[name] = getattr(import_module(module), made)
    return found


def methods(owner: type) -> dict[str, Callable[..., object]]:
    """What can be called from outside, in the order of the source."""
    return {
        name: one
        for name, one in vars(owner).items()
        if inspect.isfunction(one) and (name == "__call__" or name[0] != "_") and one.__qualname__ not in _INSIDE
    }


def page() -> str:
    text = [_OPENING, "## Memory", *(_method("memory", *item) for item in methods(Memory).items())]
    for name, owner in parts().items():
        text += [f"## memory.{name}", _first(owner)]
        text += [_method(f"memory.{name}", *item) for item in methods(owner).items()]
    text += ["## Values", "Frozen, named fields; `help(axiommind.Page)` shows those of one."]
    values = sorted(axiommind.__all__)
    errors = [name for name in values if _is_error(name)]
    text.append("\n".join(_value(name) for name in values if name not in {*errors, "Memory", "__version__"}))
    text += ["## Errors", "\n".join(map(_value, errors))]
    return "\n\n".join(part.strip("\n") for part in text) + "\n"


def _method(owner: str, name: str, one: Callable[..., object]) -> str:
    called = owner if name == "__call__" else f"{owner}.{name}"
    return f"### `{called}`\n\n```python\n{called}{_signature(one)}\n```\n\n{_first(one)}"


def _signature(one: Callable[..., object]) -> str:
    """As it is written in the source; a long one with one argument a line."""
    signature = inspect.signature(one)
    given, bare = [], False
    for parameter in list(signature.parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not bare:
            given.append("*")
            bare = True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        given.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    returns = str(signature.return_annotation).replace("builtins.", "")
    short = f"({', '.join(given)}) -> {returns}"
    return short if len(short) <= 80 else "(\n    " + ",\n    ".join(given) + f",\n) -> {returns}"


def _value(name: str) -> str:
    return f"- `{name}`: {_first(getattr(axiommind, name))}".rstrip(": ")


def _is_error(name: str) -> bool:
    one = getattr(axiommind, name)
    return isinstance(one, type) and issubclass(one, AxmError)


def _first(one: object) -> str:
    """The first paragraph of a docstring; none where a tuple made its own."""
    text = inspect.getdoc(one) or ""
    if isinstance(one, type) and text.startswith(f"{one.__name__}("):
        return ""
    return " ".join(text.split("\n\n")[0].split())
