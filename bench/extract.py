"""What a model learns, scored by hand labels: `python bench/extract.py --answers FOLDER GOLD TRANSCRIPTS`.

Runs the product's own pipeline over recorded answers, as `score.py` (beside GOLD) drives it: index, rules, then the
model's part for each labelled session, oldest first. Nobody is asked. For every question FOLDER holds
`SESSION.N.question.md` (what the model is told and given) and `SESSION.N.answer.json` (what it answered); the second
question about a session, whether its claims are supported, is `SESSION.check.…`.

    --export          write the questions that have no answer yet, and score nothing: answer them, then run it again.
                      Later questions depend on earlier answers (what is known, what is checked), so run it until
                      nothing is left.
    --ask PROVIDER    ask this provider (claude, openai, anthropic) what is not answered yet, and record it
    --alone           the model without the rules
    --all             every session, not only those with labels
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

WRAPPER = """\
#!/bin/sh
# axm as score.py calls it, with the answers of a folder for a model
export AXM_EXTRACT_ANSWERS={answers} AXM_EXTRACT_MODEL={model}
export AXM_LEARN=off AXM_BUDGET_CALLS=-1 AXM_BUDGET_TOKENS=-1 AXM_BUDGET_USD=-1
[ "$1" = learn ] || exec {axm} "$@"
{rules}
for session in {sessions}; do
    {axm} learn --extractor {provider} --session "$session" >> {report} 2>&1
done
exit 0
"""
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def main() -> None:
    given = arguments()
    gold = [json.loads(line) for line in given.gold.read_text(encoding="utf-8").splitlines() if line.strip()]
    sessions = in_order(given.transcripts, gold, every=given.all)
    folder = given.answers.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.changed.md"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="axm-extract-") as place:
        report = Path(place) / "report.txt"
        report.touch()
        wrap(Path(place), given, folder, sessions, report)
        command = [sys.executable, str(given.score or given.gold.parent / "score.py"), "worth", "--axm", place]
        command += [*(["--show"] if given.show else []), str(given.gold), str(given.transcripts)]
        scored = subprocess.run(command, capture_output=True, text=True, check=False)
        if scored.returncode:
            sys.exit(scored.stderr)
        if not given.export:
            print(scored.stdout, end="")
        if given.show:
            print(report.read_text(encoding="utf-8"), file=sys.stderr)
    print(json.dumps(counted(folder)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path, required=True, help="the folder of questions and answers")
    parser.add_argument("--axm", type=Path, default=Path(sys.executable).parent, help="the folder that holds axm")
    parser.add_argument("--model", default="recorded", help="what the answers are by: the name that entries carry")
    parser.add_argument("--score", type=Path, help="score.py; the one beside GOLD unless said")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--ask", metavar="PROVIDER")
    what.add_argument("--export", action="store_true")
    for flag in ("--alone", "--all", "--show"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("gold", type=Path)
    parser.add_argument("transcripts", type=Path)
    return parser.parse_args()


def in_order(transcripts: Path, gold: list[dict[str, str]], *, every: bool) -> list[str]:
    """The sessions to ask about, oldest first: what one says is known in the next."""
    labelled = {row["session_id"] for row in gold}
    found = []
    for project in sorted({row["project"] for row in gold}):
        for file in (transcripts / project).glob("*.jsonl"):
            if every or file.stem in labelled:
                stamps = re.findall(r'"timestamp":\s*"([0-9T:.Z+-]+)"', file.read_text(errors="replace"))
                found.append((min(stamps, default=""), file.stem))
    return [name for _, name in sorted(found)]


def wrap(place: Path, given: argparse.Namespace, folder: Path, sessions: list[str], report: Path) -> None:
    axm = shlex.quote(str(given.axm.absolute() / "axm"))
    text = WRAPPER.format(
        answers=shlex.quote(str(folder)),
        model=shlex.quote("" if given.ask and given.model == "recorded" else given.model),
        axm=axm,
        rules="" if given.alone else f"{axm} learn --extractor rules >> {shlex.quote(str(report))} 2>&1",
        sessions=" ".join(shlex.quote(name) for name in sessions),
        provider=shlex.quote(given.ask or "recorded"),
        report=shlex.quote(str(report)),
    )
    for name in ("axm", "axm-hook"):
        wrapper = place / name
        wrapper.write_text(text.replace("/axm ", f"/{name} ") if name != "axm" else text, encoding="utf-8")
        wrapper.chmod(0o700)


def counted(folder: Path) -> dict[str, object]:
    """How much was asked and answered, in tokens that are estimated from the characters."""
    asked: dict[str, int] = defaultdict(int)
    said: dict[str, int] = defaultdict(int)
    for file in folder.glob("*.question.md"):
        asked[file.name.partition(".")[0]] += tokens(file.read_text(encoding="utf-8"))
    for file in folder.glob("*.answer.json"):
        said[file.name.partition(".")[0]] += tokens(file.read_text(encoding="utf-8", errors="replace"))
    left = [f for f in folder.glob("*.question.md") if not answer_of(f).exists()]
    return {
        "sessions": len(asked),
        "unanswered": len(left),
        "changed_since_answered": len(list(folder.glob("*.changed.md"))),
        "median_tokens_asked": round(statistics.median(asked.values())) if asked else 0,
        "median_tokens_answered": round(statistics.median(said.values())) if said else 0,
    }


def answer_of(question: Path) -> Path:
    return question.with_name(question.name.removesuffix("question.md") + "answer.json")


def tokens(text: str) -> int:
    """About one for every four characters, and one for each of Han, kana and Hangul."""
    wide = len(CJK.findall(text))
    return wide + -(-(len(text) - wide) // 4)


if __name__ == "__main__":
    main()
