"""What the reading of a request asks of a language: one table of patterns each, with the same names everywhere."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Tongue"]


class Tongue(NamedTuple):
    """Patterns of a language, over one sentence in which every quotation is masked."""

    opening: re.Pattern[str]  # words before what is said: "ok, so please"
    denial: re.Pattern[str]  # it begins by saying no to what came before
    nothing: re.Pattern[str]  # an approval, thanks, a choice from a menu, "I don't know"
    asking: re.Pattern[str]  # a question that wants to know and not to have
    report: re.Pattern[str]  # how things stand: it works, it still fails, I merged it
    order: re.Pattern[str]  # something is asked for: an order, a polite question, a wish
    polite: re.Pattern[str]  # an order put as a question
    together: re.Pattern[str]  # of such a question: whether we may have it, and not whether you would do it
    duty: re.Pattern[str]  # how a thing shall be: should, must, had better, would like it to
    act: re.Pattern[str]  # the order is one of this hour: commit, look at, go on, fix all of them
    standing: re.Pattern[str]  # it holds beyond this hour: always, before every, from now on
    beside: re.Pattern[str]  # something is to be written down beside the work: changelog, spec, lesson, to-do
    postponed: re.Pattern[str]  # it is put off
    contrast: re.Pattern[str]  # one way and not another
    replaced: re.Pattern[str]  # the same, with the other named: the groups `old…`
    manner: re.Pattern[str]  # how, in what form or like what it shall be
    reason: re.Pattern[str]  # why: the groups `why…`
    fact: re.Pattern[str]  # a person explains how it is, against what was assumed
    work: re.Pattern[str]  # it is about how the work is done: git, reviews, tests, documents
    pointing: re.Pattern[str]  # words that only point at something else
    filling: re.Pattern[str]  # words that say nothing by themselves
    least: int  # letters that must be left without those
