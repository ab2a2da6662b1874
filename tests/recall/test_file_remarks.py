"""What an agent is told before it edits lines that were written for a reason, or a file with a known fault."""

from __future__ import annotations

from typing import Any

import pytest

from axiommind.recall.packets.file import about_file
from axiommind.recall.packets.file_identity import identify, names_folder
from axiommind.recall.packets.line_authors import change_in
from axiommind.recall.packets.remark_units import units_of
from tests.learning.sessions import Session
from tests.recall.packets import learned, reading, told
from tests.transcripts import PROJECT, World

CART = f"{PROJECT}/src/cart/checkout.ts"
LINES = "  const cents = Math.round(total * 100);\n  return new Receipt(cents, currency);"
BEFORE = "  return new Receipt(total, currency);"
REASONS = {
    "en": "The total must stay in whole cents, because `Receipt` rounds fractions of a cent down.",
    "ko": "합계는 반드시 정수 센트로 유지해야 합니다. `Receipt`가 소수점 아래를 버리기 때문입니다.",
    "ja": "`Receipt` は端数を切り捨てるため、合計は必ず整数のセントにする必要があります。",
    "zh": "合计必须保持为整数分,因为 `Receipt` 会舍去小数部分。",
}


def wrote(reason: str, *, path: str = CART, closing: str = "", name: str = "old", cwd: str = PROJECT) -> Session:
    """A session that says something, and then writes the lines."""
    session = Session(name, cwd)
    session.prompt("the receipt of the shop is wrong by a cent")
    session.answer(reason)
    session.use("Edit", file_path=path, old_string=BEFORE, new_string=LINES)
    if closing:
        session.answer(closing)
    return session


def edit(world: World, path: str = CART, *, session: str = "new", project: str = PROJECT, **change: Any) -> list[str]:
    change = change or {"old_string": LINES, "new_string": BEFORE}
    with reading(world) as db:
        found = told(about_file(db, path, project, session=session, change=change))
    return [note for notes in found.values() for note in notes]


@pytest.mark.parametrize("language", REASONS)
def test_the_reason_for_lines_is_told_to_who_changes_them(world: World, language: str) -> None:
    learned(world, wrote(REASONS[language]))
    (note,) = edit(world)
    assert note.startswith(REASONS[language])
    assert "(said when `const cents = Math.round(total * 100);` was written)" in note


def test_the_note_names_its_session(world: World) -> None:
    learned(world, wrote(REASONS["en"], name="0f3a9c1e-aaaa-bbbb"))
    with reading(world) as db:
        packet = about_file(db, CART, PROJECT, session="new", change={"old_string": LINES, "new_string": ""})
    assert packet is not None
    (note,) = packet.notes
    assert note.citation is not None and "0f3a9c1e" in note.citation.text and note.timestamp


@pytest.mark.parametrize(
    "said",
    [
        "Now I'll update the checkout.",
        "Let me look at the tests first.",
        "Done. All tests pass.",
        "Added rounding to `Receipt`.",
        "이제 체크아웃을 수정하겠습니다.",
        "テストを確認します。",
        "现在我来修改结账页面。",
    ],
)
def test_what_was_merely_done_is_not_told(world: World, said: str) -> None:
    learned(world, wrote(said))
    assert edit(world) == []


def test_other_lines_of_the_file_have_no_reason(world: World) -> None:
    learned(world, wrote(REASONS["en"]))
    assert edit(world, old_string="export function shipping(order: Order) {", new_string="function x() {") == []


def test_lines_that_an_edit_only_kept_are_not_its_own(world: World) -> None:
    session = Session("old")
    session.prompt("rename the order")
    session.answer("The order must be renamed, because two types share its name.")
    session.use("Edit", file_path=CART, old_string=LINES, new_string=f"{LINES}\n  // renamed the order type")
    learned(world, session)
    assert edit(world) == []


def test_the_last_who_wrote_a_line_answers_for_it(world: World) -> None:
    first, second = wrote("`Receipt` needs dollars, because the bank rejects cents."), Session("later")
    second.prompt("the bank changed its format", at=600)
    second.answer("`Receipt` must be in cents now, because the bank rejects dollars.", at=601)
    second.tool("Write", "w1", at=602, file_path=CART, content=LINES)
    second.result("w1", at=603)
    learned(world, first, second)
    (note,) = edit(world)
    assert "rejects dollars" in note


def test_the_closing_words_that_name_what_is_edited_are_told(world: World) -> None:
    closing = (
        "All done. Summary:\n\n"
        "- `src/cart/address.ts`: the city is required, otherwise the parcel is returned.\n"
        "- `src/cart/checkout.ts`: `Receipt` gets whole cents, to avoid losing one to rounding.\n"
    )
    learned(world, wrote("Now I'll update the checkout.", closing=closing))
    (note,) = edit(world)
    assert "whole cents" in note and "parcel" not in note


@pytest.mark.parametrize(
    "path",
    [
        f"{PROJECT}/.claude/worktrees/calm-fox/src/cart/checkout.ts",
        "src/cart/checkout.ts",
        "/workspace/src/cart/checkout.ts",
        "C:\\Users\\kim\\weather\\src\\cart\\checkout.ts",
    ],
)
def test_a_file_is_known_by_its_tail(world: World, path: str) -> None:
    learned(world, wrote(REASONS["en"]))
    assert edit(world, path)


@pytest.mark.parametrize("path", ["/root/work/src/cart/checkout.ts", "D:\\work\\src\\cart\\checkout.ts"])
def test_what_was_edited_under_another_root_is_known(world: World, path: str) -> None:
    learned(world, wrote(REASONS["en"], path=path))
    assert edit(world)


def test_a_name_alone_is_not_the_same_file(world: World) -> None:
    learned(world, wrote(REASONS["en"]))
    assert edit(world, f"{PROJECT}/src/admin/checkout.ts") == []
    assert edit(world, "/elsewhere/checkout.ts") == []
    with reading(world) as db:
        assert identify(db, "/elsewhere/checkout.ts", PROJECT).own == ""
        assert identify(db, CART, None).own == ""


def test_another_project_is_not_meant(world: World) -> None:
    learned(world, wrote(REASONS["en"], path="/home/dev/other/src/cart/checkout.ts", cwd="/home/dev/other"))
    assert edit(world) == []


def test_a_session_is_not_told_its_own_words(world: World) -> None:
    learned(world, wrote(REASONS["en"]))
    assert edit(world, session="old") == []


def test_a_fork_is_not_told_what_it_was_forked_from(world: World) -> None:
    original, fork = wrote(REASONS["en"]), Session("fork")
    fork.lines = [line | {"sessionId": "fork"} for line in original.lines]
    learned(world, original, fork)
    assert edit(world, session="fork") == []
    assert edit(world)


def test_a_document_says_itself_what_it_says(world: World) -> None:
    learned(world, wrote(REASONS["en"], path=f"{PROJECT}/docs/checkout-rules.md"))
    assert edit(world, f"{PROJECT}/docs/checkout-rules.md") == []


def test_a_failed_edit_wrote_nothing(world: World) -> None:
    session = Session("old")
    session.prompt("the receipt of the shop is wrong by a cent")
    session.answer(REASONS["en"])
    session.use("Edit", "String to replace not found", True, file_path=CART, old_string=BEFORE, new_string=LINES)
    learned(world, session)
    assert edit(world) == []


def test_words_that_were_withdrawn_are_not_told(world: World) -> None:
    session = wrote(f"Noted: we decided to keep amounts in whole cents. {REASONS['en']}")
    session.prompt("We decided to keep amounts in whole cents because the bank wants them.")
    learned(world, session)
    assert edit(world)
    for (entry,) in world.rows("select entry_id from entries where title like '%whole cents%'"):
        world.memory().entries.rule(entry, "deprecated", "no longer")
    assert edit(world) == []


REVIEWS = [
    "| Severity | Finding | File |\n|---|---|---|\n| MAJOR | A race loses orders between check and insert | `{name}` |",
    "**HIGH:**\n\n1. `{name}` — 동시에 주문하면 중복 검사가 실패합니다\n",
    "**MEDIUM:**\n\n1. `{name}` — 同時に注文すると重複チェックが失敗します\n",
    "严重问题:\n\n- `{name}` — 同时下单时重复检查失败\n",
    "The root cause was in `{name}`: it only checks for duplicates before the lock is taken, not after.",
]


@pytest.mark.parametrize("review", REVIEWS)
def test_a_fault_that_was_found_in_a_file_is_told_whatever_is_edited(world: World, review: str) -> None:
    session = Session("old")
    session.prompt("review the shop")
    session.answer(f"Here is the review.\n\n{review.format(name='order-book.ts')}")
    learned(world, session)
    (note,) = edit(world, f"{PROJECT}/src/order-book.ts", old_string="const a = 1;", new_string="const a = 2;")
    assert "order-book.ts" in note


@pytest.mark.parametrize(
    "said",
    [
        "- `order-book.ts`: added a `limit` option",
        "Let me read order-book.ts and its tests.",
        "The diff has changes in `order-book.ts` that are unrelated to this commit.",
        "`order-book.ts` — 주문 목록 추가",
        "`order-book.ts` を更新しました。",
        "已更新 `order-book.ts`。",
    ],
)
def test_a_file_that_was_only_mentioned_is_left_alone(world: World, said: str) -> None:
    session = Session("old")
    session.prompt("extend the shop")
    session.answer(said)
    learned(world, session)
    assert edit(world, f"{PROJECT}/src/order-book.ts", old_string="const a = 1;", new_string="const a = 2;") == []


def test_not_more_than_three_and_one_of_an_answer(world: World) -> None:
    sessions = []
    for n in range(5):
        session = Session(f"old{n}")
        session.prompt("review the shop")
        session.answer(
            f"**HIGH:**\n\n- `order-book.ts` fails for {n} open orders\n- `order-book.ts` fails for {n} closed orders\n"
        )
        sessions.append(session)
    learned(world, *sessions)
    notes = edit(world, f"{PROJECT}/src/order-book.ts", old_string="const a = 1;", new_string="const a = 2;")
    assert len(notes) == 3


def test_the_change_is_read_whatever_the_tool_is_called() -> None:
    several = {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}, 7]}
    assert change_in(several)[:2] == ("a\nc", "b\nd")
    assert change_in({"content": "x"}).touched == "x"
    assert change_in({"notebook_path": "n", "new_source": "y"}).new == "y"
    for odd in (None, {}, {"old_string": 3, "edits": "x"}):
        assert change_in(odd) == ("", "", False)


def test_units_are_paragraphs_items_and_rows() -> None:
    text = (
        "# Cause\n**One** of `src/**/__init__.py`. Two.\n\nThe `Cart` is now:\n- first\n- second\n\n"
        "| Fix | File |\n|---|---|\n| lock | `a.ts` |\n\n```\nno prose\n```\n\n**Fix 2: the lock of the cart**"
    )
    assert [(unit.text, unit.lead) for unit in units_of(text)] == [
        ("One of `src/**/__init__.py`. Two.", "Cause"),
        ("The `Cart` is now:", "Cause"),
        ("first", "The `Cart` is now:"),
        ("second", "The `Cart` is now:"),
        ("lock · `a.ts`", ""),
        ("Fix 2: the lock of the cart", ""),
    ]


def test_a_quoted_question_ends_no_sentence() -> None:
    said = 'The totals line is added to the "What is next?" section, and it only shows when there is a total.'
    assert [unit.sentences for unit in units_of(said)] == [(said,)]


def test_what_was_going_to_be_done_is_not_told_beside_a_reason(world: World) -> None:
    learned(world, wrote(f"{REASONS['en']} Let me update the `Receipt` and its tests now."))
    (note,) = edit(world)
    assert note.startswith(REASONS["en"]) and "Let me" not in note


# --- new files -------------------------------------------------------------------------------------------

NOTES = f"{PROJECT}/plan/todos"


def rejected(name: str, file: str, said: str, *, accepted: bool = True) -> Session:
    """A session whose new file the commit hook rejects, and after an edit takes."""
    session = Session(name)
    session.prompt("note that down for later")
    session.use("Write", file_path=file, content="# Later\n\nThe parcel service changes its prices.")
    commit = f"git add {file} && git commit -m 'docs: later'"
    session.use("Bash", "Exit code 1\nmarkdownlint --fix [FAILED]\nMD025 single-h1", True, command=commit)
    session.answer(said)
    session.use("Edit", file_path=file, old_string="# Later", new_string="## Later")
    session.use("Bash", "[main abc1234] docs: later", not accepted, command=commit)
    return session


@pytest.mark.parametrize(
    "said",
    [
        "The front matter has the title already. Headings start at `##` here.",
        "프런트매터에 제목이 이미 있으므로 `##`부터 시작해야 합니다.",
        "フロントマターにタイトルがあるので、見出しは `##` から始めます。",
        "前置元数据里已有标题,标题要从 `##` 开始。",
    ],
)
def test_what_a_folder_rejects_is_told_before_a_new_file_in_it(world: World, said: str) -> None:
    learned(world, rejected("old", f"{NOTES}/2026-01-05-parcels.md", said))
    (note,) = edit(world, f"{NOTES}/2026-02-01-prices.md", content="# Prices\n\nThey change in March.")
    assert note == f"A new file in this folder was rejected by git: {said}"


@pytest.mark.parametrize("path", [f"{NOTES}/prices.txt", f"{NOTES}/done/prices.md", f"{PROJECT}/docs/prices.md"])
def test_another_kind_of_file_or_folder_is_not_rejected(world: World, path: str) -> None:
    learned(world, rejected("old", f"{NOTES}/2026-01-05-parcels.md", "Headings start at `##` here."))
    assert edit(world, path, content="# Prices\n\nThey change in March.") == []


def test_what_was_never_accepted_is_no_rule(world: World) -> None:
    learned(world, rejected("old", f"{NOTES}/2026-01-05-parcels.md", "Headings start at `##` here.", accepted=False))
    assert edit(world, f"{NOTES}/prices.md", content="# Prices\n\nThey change in March.") == []


def test_of_several_rejections_the_one_that_says_most_is_told(world: World) -> None:
    one = rejected("one", f"{NOTES}/a.md", "The title is in the front matter, so headings start at `##`.")
    two = rejected("two", f"{NOTES}/b.md", "Fix the headings:")
    learned(world, one, two)
    (note,) = edit(world, f"{NOTES}/c.md", content="# Prices\n\nThey change in March.")
    assert note.startswith("New files in this folder were rejected by git 2 times: The title is in the front matter")


# --- rules of a folder, and of a symbol ------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        "Never edit files in src/generated/ by hand.",
        "Always run `make schema` instead of editing src/generated/**.",
        "src/generated/ 아래 파일은 절대 직접 수정하지 마.",
        "src/generated/ のファイルは絶対に手で編集しないでください。",
        "绝对不要手动修改 src/generated/ 里的文件。",
    ],
)
def test_a_rule_about_a_folder_binds_its_files(world: World, rule: str) -> None:
    session = Session("old")
    session.prompt(rule)
    learned(world, session)
    assert edit(world, f"{PROJECT}/src/generated/api/orders.ts", old_string="a", new_string="b")
    assert edit(world, f"{PROJECT}/src/orders.ts", old_string="a", new_string="b") == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nothing in src/cart/ may wait", True),
        ("nothing in `cart/` may wait", True),
        ("see src/cart/checkout.ts", False),
        ("all of src/ is ours", False),
        ("src/cart/old/ is gone", False),
        ("the cart waits", False),
    ],
)
def test_which_folder_is_meant(text: str, named: bool) -> None:
    assert names_folder(text, "src/cart/checkout.ts") is named


def test_a_rule_about_a_symbol_binds_the_lines_that_hold_it(world: World) -> None:
    session = Session("old")
    session.prompt("Never call `chargeCard` twice for one order.")
    learned(world, session)
    (note,) = edit(world, old_string="  await chargeCard(order);", new_string="  await pay(order);")
    assert "chargeCard" in note
    assert edit(world, old_string="  await sendParcel(order);", new_string="  await pay(order);") == []
