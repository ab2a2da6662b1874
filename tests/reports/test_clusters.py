"""Prompt clusters: endings, BM25, merging, confidence, order."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.reports.analysers import clusters as module
from axiommind.reports.analysers import suffixes
from axiommind.reports.analysers.bm25 import Corpus
from axiommind.reports.analysers.clusters import clusters
from axiommind.reports.analysers.depth import DEPTHS
from axiommind.reports.analysers.prompt_frequency import PromptText
from axiommind.reports.analysers.queries import decompose
from axiommind.reports.analysers.tuning import Tuning
from tests.rows import rows

DAY = 86_400_000
K1, B = Tuning().bm25_k1, Tuning().bm25_b
NORMAL = DEPTHS["normal"]
WORDS = ("basket", "invoice", "discount", "voucher", "delivery", "refund")


def said(*texts: str, every: int = DAY) -> list[PromptText]:
    return [PromptText(text, (i + 1) * every, f"s{i % 3}") for i, text in enumerate(texts)]


def test_bm25_by_hand() -> None:
    corpus = Corpus([["login", "bug"], ["login", "page"], ["deploy"]])
    idf = math.log((3 - 1 + 0.5) / (1 + 0.5) + 1)
    assert corpus.idf("deploy") == pytest.approx(idf)
    norm = K1 * (1 - B + B * 1 / (5 / 3))
    assert corpus.score(["deploy", "deploy"]) == pytest.approx(idf * (K1 + 1) / (1 + norm))
    assert corpus.score(["unheard"]) == 0.0


@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4), min_size=1, max_size=8))
def test_bm25_equals_the_formula(documents: list[list[str]]) -> None:
    sets = [sorted(set(d)) for d in documents]
    mean = sum(map(len, sets)) / len(sets)

    def score(query: set[str], words: list[str]) -> float:
        total = 0.0
        for word in query & set(words):
            df = sum(word in d for d in sets)
            idf = math.log((len(sets) - df + 0.5) / (df + 0.5) + 1)
            total += idf * (K1 + 1) / (1 + K1 * (1 - B + B * len(words) / mean))
        return total

    assert Corpus(documents).score(["a", "b"]) == pytest.approx(max(score({"a", "b"}, d) for d in sets))


def test_endings_are_mined_and_stripped() -> None:
    verbs = ("수정", "배포", "검토", "작성", "삭제")
    prompts = [f"{i}번 파일 {verb}해볼래요" for i, verb in enumerate(verbs)]
    endings = suffixes.mine(prompts)
    assert "해볼래요" in endings
    assert suffixes.strip("로그인 개선해볼래요", endings) == "로그인 개선"


def test_few_prompts_know_the_usual_endings() -> None:
    assert suffixes.strip("테스트 실행해줘", suffixes.mine(["x"])) == "테스트 실행"
    assert suffixes.strip("해줘", suffixes.mine([])) != "", "something always remains"


def test_an_ending_takes_no_content_word() -> None:
    prompts = [f"{verb} the tests" for verb in ("run", "fix", "see", "delete", "write")]
    assert all("tests" not in ending for ending in suffixes.mine(prompts))


def test_an_ending_cuts_no_latin_word() -> None:
    endings = suffixes.mine([f"{word}ing now" for word in ("test", "build", "runn", "deploy")])
    assert all(not ending[0].isalnum() for ending in endings if ending.isascii())


def test_similar_prompts_form_one_cluster() -> None:
    found = clusters(
        said("run all the tests", "run all tests", "Run  all the tests!", "deploy the shop", "what is new here"),
        DEPTHS["wide"],
        3,
    )
    assert [(c.count, c.sessions) for c in found] == [(3, 3)]
    assert found[0].examples == ["run all the tests", "run all tests", "Run  all the tests!"]


@rows("R0.80")
def test_confidence_divides_by_the_meaningful_prompts_alone() -> None:
    real = said(*["fix the login bug"] * 4)
    noise = [PromptText(text, DAY, "s") for text in ("ok", "<command-name>x</command-name>", "네", "yes")]
    continued = [PromptText("This session is being continued from a previous conversation", DAY, "s")]
    [alone], [among] = clusters(real, NORMAL, 3), clusters(real + noise + continued, NORMAL, 3)
    assert alone.confidence == among.confidence
    met = 1 / (1 + math.exp(-alone.bm25_score / 5))
    assert alone.confidence == pytest.approx(0.4 * 1.0 + 0.2 * 1.0 + 0.4 * met)


@rows("R0.78")
def test_decay_orders_by_recency() -> None:
    old = [PromptText("deploy the web shop", i * DAY, "s") for i in range(1, 6)]
    new = [PromptText("review this pull request", (100 + i) * DAY, "s") for i in range(3)]
    assert [c.pattern for c in clusters(old + new, NORMAL, 3)] == [old[0].text, new[0].text]
    found = clusters(old + new, NORMAL, 3, decay=True)
    assert [c.pattern for c in found] == [new[0].text, old[0].text]
    assert found[0].weighted_count > found[1].weighted_count


@rows("R0.79")
def test_the_order_of_the_input_does_not_matter() -> None:
    prompts = said(*["run the tests", "run the test", "fix login", "fix the login", "테스트 실행해줘"] * 4)
    shuffled = random.Random(3).sample(prompts, len(prompts))
    assert clusters(prompts, NORMAL, 1) == clusters(shuffled, NORMAL, 1)


def test_short_texts_merge_with_nothing() -> None:
    found = clusters(said(*["ab 해줘", "ac 해줘"] * 3), DEPTHS["wide"], 1)
    assert len(found) == 2


@pytest.mark.parametrize("text", ["続けて", "继续", "커밋해", "go on"])
def test_a_short_prompt_is_long_enough_in_its_script(text: str) -> None:
    [found] = clusters([PromptText(text, at, "s") for at in range(1, 9)], DEPTHS["normal"], 3)
    assert (found.pattern, found.count) == (text, 8)
    assert not clusters([PromptText("네", 1, "s"), PromptText("lgtm", 2, "s")], DEPTHS["normal"], 1)


def test_long_texts_do_not_merge_for_being_of_one_language() -> None:
    plan = "Implement the following plan: "
    one = plan + "rename the parser and move its tests beside it, then update the import lines. " * 6
    other = plan + "the upload page should retry failed parts, tell how many remain and stay idle. " * 6
    assert len(clusters(said(one, other), DEPTHS["wide"], 1)) == 2
    assert len(clusters(said(one, one.replace("rename", "renames")), NORMAL, 1)) == 1, "nearly the same is the same"


def test_one_interval_is_regular_and_none_says_nothing() -> None:
    text = "deploy the parser"
    [twice], [once], [together] = (
        clusters(some, NORMAL, 1) for some in (said(text, text), said(text), said(text, text, every=0))
    )
    assert twice.confidence - together.confidence == pytest.approx(Tuning().weight_consistency)
    assert 0.4 < once.confidence < 0.8


def test_long_prompts_are_cut_into_clauses() -> None:
    text = "Rename the parser module and update every import. Then regenerate snapshots and publish docs"
    corpus = Corpus([["parser"]])
    queries = decompose(corpus, text, DEPTHS["wide"])
    assert ["regenerate", "snapshots"] in queries
    assert len(decompose(corpus, text, DEPTHS["narrow"])) <= 2
    assert len(queries) <= 8


@given(st.lists(st.tuples(st.text(max_size=12), st.integers(0, 9)), max_size=25), st.sampled_from(list(DEPTHS)))
def test_any_text_is_clustered_and_counted_once(found: list[tuple[str, int]], depth: str) -> None:
    prompts = [PromptText(text, at, "s") for text, at in found]
    made = clusters(prompts, DEPTHS[depth], 1)
    assert sum(c.count for c in made) <= len(prompts)
    assert all(0 <= c.confidence <= 1 for c in made)
    assert all(c.examples == list(dict.fromkeys(c.examples)) and len(c.examples) <= 5 for c in made)


def test_no_prompts_no_clusters() -> None:
    assert clusters([], NORMAL, 1) == []


@rows("R0.81")
def test_the_bigrams_of_a_text_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    bigrams = module._bigrams
    monkeypatch.setattr(module, "_bigrams", lambda text, likeness: (made.append(text), bigrams(text, likeness))[1])
    clusters([PromptText(f"rename the {word} of the shop", at, "s") for at, word in enumerate(WORDS, 1)], NORMAL, 1)
    assert len(made) == len(set(made)) == len(WORDS)
