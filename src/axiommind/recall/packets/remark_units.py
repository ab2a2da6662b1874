"""Units of what an agent said: paragraphs, list items and rows of tables, each with what leads to it.

A unit can be told by itself, without the sentences that only say how far the work is, ask or praise (`stating`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from axiommind.recall.pieces import only_announces
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.text.prose import ProseSentence

__all__ = ["SaidUnit", "names_another", "stating", "units_of", "width_of", "with_neighbours"]

_LONGEST = 20_000  # characters of an answer that are read
_PARAGRAPH = 380  # of a paragraph that is one unit; of a longer one each sentence is
_LEAD = 90  # of what leads to a list, to be told with an item of it
_ITEM = 380  # of what is told
_EMPTY = ("status", "question", "praise", "proposal")  # what such a sentence says does not last
_ENDS = ".!?。！？:："
_ROW = lazy(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_RULE = lazy(r"[\s|:-]+")
_QUOTED_END = lazy(r"[.!?][\"')\]*`]+$")
_TITLE = lazy(r"^[ \t]*(?:#{1,6}[ \t]+|\*\*)([^*\n]{8,160})(?:\*\*)?[ \t]*[:：]?[ \t]*$", re.MULTILINE)
_MARKS = lazy(r"(`[^`\n]*`)|\*\*|^[\s>#*+-]+")  # but for what is in code
_PATH = lazy(
    r"(?<![\w.])[\w@-][\w.@/-]*\.(?:[cm]?[jt]sx?|py|rs|go|java|kts?|swift|rb|php|cs|[ch](?:pp)?|s?css|html?|vue|svelte|json|ya?ml"
    r"|toml|sql|sh|md)\b"
)


class SaidUnit(NamedTuple):
    """Something that was said."""

    sentences: tuple[str, ...]
    lead: str  # the heading above it, or the sentence that leads to its list
    start: int
    group: int  # units of one list or paragraph have the same; a row of a table has none
    in_list: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def units_of(text: str) -> list[SaidUnit]:
    text = text[:_LONGEST]
    return sorted([*_paragraphs(text), *_rows(text), *_titles(text)], key=lambda unit: unit.start)


def stating(unit: SaidUnit) -> SaidUnit:
    """A unit without what does not last; most units are not worth the question."""
    from axiommind.text.agent_cues import AGAINST

    kept = [one for one in unit.sentences if not any(AGAINST[name].search(one) for name in _EMPTY)]
    told = [one for one in kept if not only_announces(one)]
    return unit._replace(sentences=tuple(told or kept))


def _paragraphs(text: str) -> Iterator[SaidUnit]:
    from axiommind.text.prose import sentences

    lead, group, was_list = "", 0, False
    for (_, in_list), same in groupby(sentences(text), key=lambda one: (one.paragraph, one.in_list)):
        said = _whole(same)
        if not in_list:
            lead = said[-1].text if said[-1].text.endswith((":", "：")) else ""
        group += not (in_list and was_list)
        was_list = in_list
        for part in _parts(said):
            above = lead if in_list and lead else part[0].heading
            yield SaidUnit(tuple(_plain(one.text) for one in part), _plain(above), part[0].start, group, in_list)


def _whole(said: Iterable[ProseSentence]) -> list[ProseSentence]:
    """Sentences, where what goes on after a quoted one ('the "What is next?" section') belongs to it."""
    found: list[ProseSentence] = []
    for one in said:
        if found and one.text[:1].islower() and _QUOTED_END.search(found[-1].text):
            before = found.pop()
            one = before._replace(text=f"{before.text} {one.text}")
        found.append(one)
    return found


def _parts(said: Sequence[ProseSentence]) -> list[Sequence[ProseSentence]]:
    if not said:
        return []
    return [said] if sum(len(one.text) for one in said) <= _PARAGRAPH else [[one] for one in said]


def _rows(text: str) -> Iterator[SaidUnit]:
    """The rows of tables but for their heads."""
    before = -1
    for match in _ROW.finditer(text):
        is_head = match.start() > before + 1
        before = match.end()
        cells = [cell for part in match[0].strip(" \t|").split("|") if (cell := part.strip())]
        if not is_head and cells and not _RULE.fullmatch(match[0]):
            yield SaidUnit((_plain(" · ".join(cells)),), "", match.start(), -1)


def _titles(text: str) -> Iterator[SaidUnit]:
    """What a short answer is about, where it ends with that: the next thing that was done."""
    titles = list(_TITLE.finditer(text))
    if titles and not text[titles[-1].end() :].strip():
        yield SaidUnit((_plain(titles[-1][1]),), "", titles[-1].start(), -2)


def with_neighbours(units: Sequence[SaidUnit], best: int, own: str) -> str:
    """A unit with what leads to it, and with those around it that belong to it, as far as there is room. Rows of a
    table, and items of a list that nothing leads to, are each about something else."""
    unit = stating(units[best])
    lead = f"{unit.lead.rstrip(' :：')}: " if _is_telling(unit) else ""
    kept = {best: unit.text}
    width = width_of(lead) + width_of(unit.text)
    for at in (best + 1, best - 1, best + 2) if unit.group >= 0 and (lead or not unit.in_list) else ():
        if not 0 <= at < len(units) or units[at].group != unit.group or not {at - 1, at + 1} & kept.keys():
            continue
        beside = stating(units[at]).text
        if beside and width + width_of(beside) < _ITEM and not names_another(beside, own):
            width += width_of(beside) + 2
            kept[at] = beside
    texts = [kept[at] for at in sorted(kept)]
    return lead + texts[0] + "".join(f"{' ' if a[-1:] in _ENDS else '; '}{b}" for a, b in pairwise(texts))


def width_of(text: str) -> int:
    """Its length, where a character of Han, kana or Hangul is two: it costs as much."""
    return len(text) if text.isascii() else len(text) + sum(character > "\u2fff" for character in text)


def _is_telling(unit: SaidUnit) -> bool:
    """Whether what leads to a unit says what it is about, and not only that a summary follows."""
    from axiommind.text.agent_cues import AGAINST, HEADINGS

    if not 0 < len(unit.lead) <= _LEAD or unit.lead in unit.text:
        return False
    empty = (HEADINGS["change"], *(AGAINST[name] for name in (*_EMPTY, "plan")))
    return not any(cue.search(unit.lead) for cue in empty)


def names_another(text: str, own: str) -> bool:
    """Whether a text names some file, and not this one."""
    base = own.rpartition("/")[2]
    return base not in text and _PATH.search(text) is not None


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(lambda mark: mark[1] or "", text).split())
