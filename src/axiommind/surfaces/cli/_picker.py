"""Picking one of many by typing, with a glance at each, on the whole screen, which is as it was afterwards.

It knows nothing of what is picked: rows are texts, and what the words mean is asked. What takes longer to find is asked
in a thread once the typing pauses. Imported only where somebody is at a terminal: its library, prompt_toolkit, takes
longer to import than most commands to run.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from axiommind.surfaces.render.table_layout import cut_end, wrap

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import AnyFormattedText, StyleAndTextTuples

__all__ = ["PickRow", "Picked", "Picker"]

T = TypeVar("T")
_PAUSE_S = 0.25
_BESIDE = 110  # columns from which on the glance is beside the list
_HELP = "Enter {enter} · Tab {tab} · ↑↓ choose · Esc quit"


class PickRow(NamedTuple, Generic[T]):
    """One of them, in a line: what stands first is dim, the text follows."""

    value: T
    lead: str
    text: str


class Picked(NamedTuple, Generic[T]):
    value: T
    by_tab: bool


class Picker(Generic[T]):
    """`find` says which rows the words mean, `find_more` which others do, and `glance` is the text beside one."""

    def __init__(
        self,
        title: str,
        find: Callable[[str], Sequence[PickRow[T]]],
        find_more: Callable[[str], Sequence[PickRow[T]]],
        glance: Callable[[T], str],
        *,
        enter: str,
        tab: str,
    ) -> None:
        self._title = title
        self._find = find
        self._find_more = find_more
        self._glance = lru_cache(maxsize=200)(glance)
        self._help = _HELP.format(enter=enter, tab=tab)
        self._rows: list[PickRow[T]] = []
        self._from = 0  # the first of the rows that were found later
        self._at = 0
        self._task: Any = None

    def pick(self, words: str) -> Picked[T] | None:
        """Whatever is picked; None where nobody wants any."""
        from prompt_toolkit.application import Application
        from prompt_toolkit.buffer import Buffer
        from prompt_toolkit.document import Document

        typed = Buffer(multiline=False, document=Document(words, len(words)))
        typed.on_text_changed += lambda _: self._search(typed.text)
        self._app: Application[Picked[T] | None] = Application(
            layout=self._layout(typed), key_bindings=self._keys(typed), full_screen=True, style=_style()
        )
        return self._app.run(pre_run=lambda: self._search(words))

    # --- finding ---------------------------------------------------------------------------------------------

    def _search(self, words: str) -> None:
        self._rows = list(self._find(words))
        self._from, self._at = len(self._rows), 0
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if len(words.strip()) > 1 and self._app.is_running:
            self._task = self._app.create_background_task(self._search_more(words))

    async def _search_more(self, words: str) -> None:
        await asyncio.sleep(_PAUSE_S)
        found = await asyncio.get_running_loop().run_in_executor(None, self._find_more, words)
        known = {row.value for row in self._rows}
        self._rows += [row for row in found if row.value not in known]
        self._app.invalidate()

    # --- what is shown ---------------------------------------------------------------------------------------

    def _layout(self, typed: Any) -> Any:
        from prompt_toolkit.layout import Dimension, HSplit, Layout, VSplit, Window
        from prompt_toolkit.layout.containers import DynamicContainer
        from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl

        field = VSplit(
            [
                Window(FormattedTextControl([("class:title", f"{self._title} ")]), dont_extend_width=True, height=1),
                Window(BufferControl(typed), height=1),
                Window(FormattedTextControl(self._count), dont_extend_width=True, height=1),
            ]
        )
        rows = Window(
            FormattedTextControl(self._shown, show_cursor=False), width=lambda: Dimension.exact(self._width())
        )
        glance = Window(FormattedTextControl(self._glanced, show_cursor=False))

        beside = VSplit([rows, Window(char="│", width=1, style="class:dim"), glance])
        below = HSplit([rows, Window(char="─", height=1, style="class:dim"), glance])

        def body() -> Any:
            return beside if self._columns() >= _BESIDE else below

        foot = Window(FormattedTextControl([("class:dim", self._help)]), height=1)
        line = Window(char="─", height=1, style="class:dim")
        return Layout(HSplit([field, line, DynamicContainer(body), foot]), focused_element=typed)

    def _columns(self) -> int:
        from prompt_toolkit.application import get_app

        return int(get_app().output.get_size().columns)

    def _lines(self) -> int:
        """How many rows of the list there is room for."""
        lines = int(self._app.output.get_size().rows) - 3
        return max(lines if self._columns() >= _BESIDE else (lines - 1) // 2, 1)

    def _width(self) -> int:
        columns = self._columns()
        return columns // 2 - 1 if columns >= _BESIDE else columns

    def _count(self) -> AnyFormattedText:
        return [("class:dim", f" {len(self._rows)} found" if self._rows else " nothing found")]

    def _shown(self) -> AnyFormattedText:
        """The rows around the one that is chosen."""
        lines, room = self._lines(), self._width()
        first = max(min(self._at - lines // 2, len(self._rows) - lines), 0)
        found: StyleAndTextTuples = []
        for n, row in enumerate(self._rows[first : first + lines], first):
            chosen = "class:chosen " if n == self._at else ""
            lead = f"{'▌' if n == self._at else ' '}{row.lead}"
            mark = "said in it: " if n >= self._from else ""
            found += [
                (f"{chosen}class:dim", lead),
                (chosen, cut_end(f"{mark}{row.text}", max(room - len(lead) - 1, 8))),
                ("", "\n"),
            ]
        return found

    def _glanced(self) -> AnyFormattedText:
        if not self._rows:
            return []
        room = self._width() - 1
        found: StyleAndTextTuples = []
        for line in self._glance(self._rows[self._at].value).split("\n"):
            style = "class:title" if line.startswith("# ") else "class:dim" if line.startswith("· ") else ""
            for part in wrap(line.removeprefix("# ").removeprefix("· "), max(room, 8)):
                found += [(style, f" {part}"), ("", "\n")]
        return found

    # --- keys ------------------------------------------------------------------------------------------------

    def _keys(self, typed: Any) -> Any:
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()

        def bind(names: Sequence[str], act: Callable[[], None]) -> None:
            for name in names:
                keys.add(name, eager=True)(lambda _event: act())

        def leave(*, by_tab: bool) -> None:
            if self._rows:
                self._app.exit(result=Picked(self._rows[self._at].value, by_tab))

        bind(("enter",), lambda: leave(by_tab=False))
        bind(("tab",), lambda: leave(by_tab=True))
        bind(("escape", "c-c", "c-d", "c-g"), lambda: self._app.exit(result=None))
        bind(("up", "c-p", "c-k"), lambda: self._move(-1))
        bind(("down", "c-n", "c-j"), lambda: self._move(1))
        bind(("pageup",), lambda: self._move(-self._lines()))
        bind(("pagedown",), lambda: self._move(self._lines()))
        bind(("c-u",), typed.reset)
        return keys

    def _move(self, by: int) -> None:
        self._at = max(min(self._at + by, len(self._rows) - 1), 0)


def _style() -> Any:
    from prompt_toolkit.styles import Style

    has_colours = not os.environ.get("NO_COLOR")
    accent = "bold ansicyan" if has_colours else "bold"
    return Style.from_dict({"title": accent, "dim": "ansibrightblack" if has_colours else "", "chosen": "reverse"})
