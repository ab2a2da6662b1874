"""What people ask: the command line. The commands of bench/same.py; each finds what those before it left.

`@{name}` in an argument is what an earlier command's `keep` took out of its answer, so ids need not be known here.
`code` is the exit code that belongs to it, `silent` says that no output is the right one: whatever else is empty or
fails on BEFORE proves nothing, and is reported.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from same_world import BOX, CHINESE, EVAL, FIRST, JAPANESE, KOREAN, LEDGER, SECOND, THIRD

NONE: Mapping[str, str] = MappingProxyType({})


class Command(NamedTuple):
    name: str
    kind: str  # axm, hook, mcp or file
    args: tuple[str, ...]  # of axm; the event of a hook; the method of mcp
    given: Any = ""  # stdin; the params of mcp
    keep: Mapping[str, str] = NONE  # name → where it is in the JSON of the answer, such as hits.0.id
    env: Mapping[str, str] = NONE
    code: int = 0
    silent: bool = False
    grows: str = ""  # before it runs, this session goes on
    ends: str = ""  # before it runs, this session's file is deleted
    served: bool = False  # while `axm mcp` runs


def axm(name: str, line: str, **more: Any) -> Command:
    return Command(name, "axm", tuple(shlex.split(line)), **more)


def hook(name: str, event: str, project: str, fields: dict[str, Any], **more: Any) -> Command:
    about = {"session_id": f"same-{name}", "transcript_path": "", "cwd": project, "hook_event_name": event}
    return Command(name, "hook", (event,), json.dumps({**about, **fields}, ensure_ascii=False), **more)


def file(name: str, pattern: str) -> Command:
    """What commands left in files below the root."""
    return Command(name, "file", (pattern,))


def nothing() -> Iterator[Command]:
    """On an empty home."""
    yield axm("empty-query", "query --perspective sessions", code=1)
    yield axm("empty-search", "search parser", code=1)
    yield axm("empty-doctor", "doctor --json")
    yield axm("empty-entries", "entries", code=1)
    yield hook("empty-prompt", "UserPromptSubmit", BOX, {"prompt": "why do e2e tests fail in ci"}, silent=True)
    yield axm("start-sample", "start --sample --json")


def indexed() -> Iterator[Command]:
    yield axm("index", "index --json")
    yield axm("index-again", "index --json")
    yield axm("start", "start")
    yield axm("start-json", "start --json")
    yield axm("kb-add", "kb add @{root}/notes --json")
    yield axm("kb-index", "kb index --json")
    yield axm("kb-list", "kb list --json")
    yield axm("kb-documents", "kb list --documents --json")
    yield axm("kb-search-en", "kb search 'restore a snapshot' --json")
    yield axm("kb-search-tag", "kb search queue --tag operations --path '**/runbook.md' --why")
    yield axm("kb-search-ko", "kb search '고엽제 후유의증 수당 신청방법' --json")
    yield axm("kb-search-zh", "kb search '战国无双3 武田信玄' --lang zh --json")
    yield axm("kb-search-ja", "kb search '東大寺の大仏はどこにある' --json -k 5")
    yield axm("kb-search-mode", "kb search 'nightly backup' --mode lexical --no-recency --json")


PERSPECTIVES_LIST = """
clusters dependency-graph hotfiles prompts repetition sequences session-links sessions tool-frequency transitions trends
usage
"""
PERSPECTIVES = PERSPECTIVES_LIST.split()


def asked() -> Iterator[Command]:
    for name in PERSPECTIVES:
        yield axm(f"query-{name}", f"query --perspective {name} --all-projects")
        yield axm(
            f"query-{name}-filtered",
            f"query --perspective {name} --project {BOX} --since 2026-02-16 --until 2026-02-22 --top 7 --min-count 2",
        )
        yield axm(f"query-{name}-tool", f"query --perspective {name} --all-projects --tool Edit --top 6")
    yield axm("query-table", "query --perspective tool-frequency --all-projects --tool Bash:% --format table")
    yield axm("query-csv", f"query --perspective hotfiles --project {EVAL} --format csv --top 30")
    yield axm("query-clusters-wide", f"query --perspective clusters --project {EVAL} --depth wide --decay 1")
    yield axm(
        "query-graph-tool", f"query --perspective dependency-graph --project {JAPANESE} --tool Edit --format table"
    )
    yield axm("query-prompts-ko", f"query --perspective prompts --project {KOREAN} --search '테마'")
    yield axm("query-prompts-ja", "query --perspective prompts --all-projects --search 'コミット' --tool Bash:git")
    yield axm("query-sequences-include", "query --perspective sequences --all-projects --include-tool 'to_tool: Read,'")
    yield axm("query-session", "query --perspective repetition --session e67c9434 --all-projects --z-threshold 1")
    for by in ("week", "model", "session", "project"):
        yield axm(f"query-usage-{by}", f"query --perspective usage --by {by} --all-projects --format csv")
    yield axm("query-db", "query --db @{root}/axm/index.db --perspective sessions --top 3")
    yield axm("query-plot", "query --perspective usage --all-projects --top 5 --plot @{root}/usage.svg")
    yield file("query-chart", "usage.svg")
    yield axm("query-list", "query --list-perspectives")
    yield axm("query-schema", "query --schema")
    yield axm("query-wrong-param", "query --perspective usage --by decade", code=2)
    yield axm("query-wrong-name", "query --perspective nothing", code=1)


def sql() -> Iterator[Command]:
    yield axm(
        "sql-tables",
        "query --all-projects --sql 'select (select count(*) from sessions), (select count(*) from prompts), "
        "(select count(*) from tool_uses), (select count(*) from file_edits), (select count(*) from responses), "
        "(select count(*) from passages), (select count(*) from documents)'",
    )
    yield axm("sql-project", f"query --project {BOX} --sql 'select id, title, prompt_count from sessions order by id'")
    yield axm(
        "sql-group",
        "query --sql 'select classified_name, count(*) n, sum(is_error) failed from tool_uses group by 1 order by n "
        "desc, 1 limit 25' --format table --all-projects",
    )
    yield axm("sql-stdin", "query --sql - --all-projects", given="select min(first_ts), max(last_ts) from sessions")
    yield axm(
        "sql-secret",
        "query --all-projects --sql \"select input_json from tool_uses where input_json like '%https://x.test/v1%'\"",
    )
    yield axm("sql-delete", "query --sql 'delete from sessions'", code=1)
    yield axm("sql-two", "query --sql 'select 1; select 2'", code=1)
    yield axm("sql-attach", "query --sql \"attach '/tmp/x.db' as x\"", code=1)
    yield axm("sql-syntax", "query --sql 'select frm'", code=1)
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    yield axm("sql-endless", f"query --sql '{endless}'", env={"AXM_QUERY_SECONDS": "0.5"}, code=1)
    yield axm(
        "sql-rows",
        "query --sql 'select id from tool_uses order by id' --all-projects",
        env={"AXM_QUERY_ROWS": "40"},
        code=1,
    )


def searched() -> Iterator[Command]:
    yield axm(
        "search-en",
        "search 'e2e tests failing in ci' --all-projects --json",
        keep={"hit": "hits.0.id", "next": "next_cursor"},
    )
    yield axm("search-cursor", "search 'e2e tests failing in ci' --all-projects --json --cursor @{next}")
    yield axm("search-text", f"search 'coderabbit comments' --project {BOX} --why")
    yield axm("search-ko", "search '스크롤 위치 선택' --all-projects --json", keep={"hit_ko": "hits.0.id"})
    yield axm(
        "search-ja", "search 'ライセンス比較 トレンド' --all-projects --json", keep={"cite_ja": "hits.0.citation.text"}
    )
    yield axm("search-zh", "search '登录测试超时' --all-projects --json", keep={"hit_zh": "hits.0.id"})
    yield axm("search-zh-hant", "search 'React 組件 開發' --lang zh --all-projects --json")
    yield axm("search-filters", "search 'kind:prompt since:30d \"e2e\" -coderabbit' --all-projects --json")
    yield axm("search-file", "search --file '*remediation*' 'why' --all-projects --json -k 5")
    yield axm("search-tool", "search 'commit' --tool Bash:git --since 2026-02-20 --until 2026-02-21 --all-projects")
    yield axm("search-session", f"search ledger --session {FIRST} --all-projects --json")
    yield axm("search-group", "search --group session 'which session fixed the login redirect' --all-projects --json")
    yield axm(
        "search-kinds", "search 'impact evaluation' --kind response --kind tool --all-projects --json --no-recency"
    )
    yield axm("search-smart", f"search --smart 'ipns_private_key_encrypted missing' --project {BOX}")
    yield axm("search-smart-json", "search --smart --budget 900 'database is locked' --all-projects --json")
    yield axm("search-week", "search 'last week release changelog' --all-projects --json -k 5")
    yield axm("search-none", "search zzqxwv --all-projects", code=1)
    yield axm("search-wrong", "search 'since:never x' --all-projects", code=1)
    yield axm("show", "show @{hit} --context 2")
    yield axm("show-json", "show @{hit_zh} --json")
    yield axm("show-raw", "show @{hit_zh} --raw")
    yield axm("timeline", "timeline @{hit} @{hit_ko} --window 4")
    yield axm("timeline-json", "timeline @{hit_zh} --json")
    yield axm("open", "open @{cite_ja} --context 1")
    yield axm("open-note", "open @{root}/notes/runbook.md:L5-L9 --json")
    yield axm("open-none", "open nowhere.md:L1", code=1)


def embedded() -> Iterator[Command]:
    yield axm("embed", "embed --json")
    yield axm("embed-status", "embed --status --json")
    yield axm("similar", "similar @{hit} --json -k 5")
    yield axm("similar-session", f"similar {SECOND} --json")
    yield axm("search-semantic", "search --mode semantic 'keeping people from logging in twice' --all-projects --json")
    yield axm("search-hybrid", "search --mode hybrid 'tests are flaky on the build server' --all-projects --json --why")
    yield axm("search-hybrid-ko", "search --mode hybrid '창을 키우면 배경이 어둡게 보임' --all-projects --json")
    yield axm("search-auto", "search 'how do we sign macOS binaries' --all-projects --json")
    yield axm("kb-semantic", "kb search 'getting data back after a loss' --mode semantic --json")


def learned() -> Iterator[Command]:
    yield axm("learn-dry", f"learn --dry-run --project {LEDGER} --json")
    yield axm("learn", "learn --json")
    yield axm("learn-again", "learn --json")
    stand_in = {"AXM_EXTRACT_CLAUDE": "@{root}/claude.sh"}
    yield axm("learn-model", f"learn --extractor claude --session {SECOND} --json", env=stand_in)
    yield axm("entries", "entries --all-projects --json -k 200", keep={"any": "entries.0.id", "other": "entries.1.id"})
    yield axm("entries-text", f"entries --project {EVAL} --type decision --stage verified")
    keep = {"entry": "entries.0.id", "entry_2": "entries.1.id"}
    yield axm("entries-ledger", f"entries --project {LEDGER} --json --type decision --type fact", keep=keep)
    keep = {"decision": "entries.1.id"}
    yield axm("entries-decided", f"entries --project {LEDGER} --type decision --json", keep=keep)
    yield axm("entries-notes", f"entries --project {BOX} --type task_note --json -k 20")
    yield axm("entries-session", f"entries --session {FIRST} --all-projects --all --json")
    yield axm("entry", "entry show @{entry} --json")
    yield axm("entry-text", "entry show @{any}")
    yield axm("why", "why @{entry}")
    yield axm("why-json", "why @{any} --json")
    yield axm("show-entry", "show @{entry} --json")
    yield axm("embed-entries", "embed --json")
    yield axm("similar-entry", "similar @{any} --json")
    yield axm("search-insight", "search 'ledger stored' --kind insight --all-projects --json")
    yield axm("conflicts", "conflicts --all-projects --all --json")
    yield axm("decisions", "decisions --all-projects --json")
    yield axm("decisions-text", f"decisions --project {LEDGER}")
    yield axm("metrics", "metrics --json")
    yield axm("budget", "budget --json")


def judged() -> Iterator[Command]:
    yield axm("promote", "promote @{entry_2} --reason 'the team agreed' --json")
    yield axm("promote-undo", "promote @{entry_2} --undo")
    yield axm("promote-policy", "promote --policy --dry-run --json")
    yield axm("promote-run", "promote --policy --json")
    yield axm("contest", "contest @{other} --reason 'was tried and did not hold' --json")
    yield axm("contest-listed", "entries --status contested --all-projects --json")
    yield axm("contest-undo", "contest @{other} --undo --json")
    yield axm("supersede", "supersede @{other} --by @{any} --reason 'decided anew' --json")
    yield axm("supersede-why", "why @{other}")
    yield axm("supersede-undo", "supersede @{other} --undo")
    yield axm("deprecate", "deprecate @{other} --reason 'no longer so'")
    yield axm("deprecate-listed", "entries --status deprecated --all-projects --json")
    yield axm("deprecate-undo", "deprecate @{other} --undo --json")
    yield axm("vouch", "promote @{decision} --reason 'it is in production' --json")
    yield axm("contradicted", "learn --json", grows=THIRD)
    keep = {"conflict": "conflicts.0.conflict_id", "newer": "conflicts.0.newer_id"}
    yield axm("conflicts-open", "conflicts --all-projects --json", keep=keep)
    yield axm("conflicts-text", "conflicts --all-projects --all")
    yield axm("settle", "conflicts settle @{conflict} --keep @{newer} --reason 'measured again' --json")
    quote = "--quote 'two writers held the lock'"
    yield axm(
        "remember", f"remember 'Two writers lock the ledger' {quote} --session {FIRST} --json", keep={"mine": "id"}
    )
    yield axm("remember-again", f"remember 'Two writers lock the ledger' {quote} --session {FIRST} --json")
    yield axm(
        "remember-zh", f"remember '会话缓存必须过期' --type insight --quote '会话缓存没有过期' --session {CHINESE}"
    )
    yield axm("remember-never", f"remember 'Pigs fly' --quote 'pigs can fly' --session {FIRST}", code=1)
    yield axm("remember-why", "why @{mine}")
    yield axm(
        "decide", f"decide 'Weekly releases' --evidence @{{any}} --reason 'fewer surprises' --project {EVAL} --json"
    )
    yield axm("decisions-after", f"decisions --project {EVAL} --json -k 5")


def tasks() -> Iterator[Command]:
    yield axm("tasks", f"tasks --project {LEDGER} --json", keep={"task": "tasks.0.id", "task_2": "tasks.1.id"})
    yield axm("tasks-all", "tasks --all --all-projects -k 200 --json")
    yield axm("tasks-text", f"tasks --all --project {BOX}")
    yield axm("task-show", "task show @{task} --json")
    yield axm("task-show-text", "task show @{task_2}")
    yield axm("blocked", "blocked --all-projects")
    yield axm("blocked-json", "blocked --all-projects --json", keep={"condition": "tasks.0.blocked_by.0.id"})
    yield axm("condition", "condition resolve @{condition} --to @{task_2} --json")
    yield axm("conditions", "conditions resolved --all-projects --json")
    yield axm("task-set", "task set @{task_2} --status in_progress --priority high --json")
    yield axm("tasks-pending", "tasks --status pending --all-projects --json", keep={"free": "tasks.0.id"})
    yield axm("task-set-blocked", "task set @{free} --status blocked")
    yield axm("blocked-unknown", "blocked --unknown --all-projects --json")
    yield axm("task-set-wrong", "task set @{task_2} --status nowhere", code=2)


def analysed() -> Iterator[Command]:
    yield axm("analyze", f"analyze --project {EVAL} --no-index")
    yield axm("analyze-json", f"analyze --project {BOX} --json --depth wide --top 20 --threshold 2")
    yield axm("analyze-global", "analyze --scope global --json --decay --focus workflow")
    yield axm(
        "analyze-skill", f"analyze --project {KOREAN} --json --focus skill --since 2026-02-20 --exclude-words commit"
    )
    yield axm("analyze-flat", f"--project {JAPANESE} --threshold 2 --format json")
    yield axm("analyze-tuning", "analyze --tuning-defaults")
    yield axm("cache", f"cache --project {EVAL} --out @{{root}}/cache --json")
    yield file("cache-files", "cache/**/[!.]*.json")
    yield axm("insight-md", f"insight --project {EVAL}")
    yield axm("insight-json", "insight --all-projects --json")
    yield axm("insight-html", f"insight --project {BOX} --since 2026-02-20 --format html")
    yield axm("recall", f"recall 'please push the e2e fixes up' --project {BOX}")
    yield axm(
        "recall-json", f"recall '머지하면서 화면이 완전 깨졌는데? 다시 확인해줘' --project {KOREAN} --json --budget 600"
    )
    yield axm("recall-zh", f"recall '登录测试为什么超时?' --project {LEDGER}")
    yield axm(
        "recall-flat",
        f"recall 'macOS code signing in CI' --project {EVAL}",
        env={"AXM_DISCLOSURE": "0", "AXM_TOP_K": "4"},
    )
    yield axm("recall-none", "recall 'bake a cake with seven eggs' --all-projects", code=1)
    golden = (
        "- query: database is locked\n  expected: ["
        + FIRST
        + "]\n- query: 登录测试超时\n  expected: ["
        + CHINESE
        + "]\n"
    )
    yield axm("eval", "eval golden /dev/stdin --json", given=golden)


def kept_well() -> Iterator[Command]:
    yield axm("index-full", "index --full --json")
    yield axm("grounding", "grounding --all-projects --json")
    yield axm("grounding-items", "grounding --all-projects --items")
    yield axm("doctor", "doctor --json")
    yield axm("doctor-text", "doctor")
    yield axm("verify", "verify --json")
    yield axm("verify-deep", "verify --deep")
    yield axm("rebuild", "rebuild --json")
    yield axm("rebuild-entries", "entries --all-projects --json -k 200")
    yield axm("models", "models --json")
    for shell in ("bash", "zsh", "fish"):
        yield axm(f"completion-{shell}", f"completion {shell}")
    yield axm("install-print", "install claude-code --print")
    yield axm("install", "install claude-code")
    yield file("install-files", "claude/*.json")
    yield axm("install-again", "install claude-code")
    yield axm("uninstall", "uninstall claude-code")
    yield axm("version", "--version")


def mistaken() -> Iterator[Command]:
    yield axm("help", "--help")
    for name in ("query", "search", "pad append", "conflicts settle", "forget"):
        yield axm(f"help-{name.replace(' ', '-')}", f"{name} --help")
    yield axm("wrong-none", "", code=2)
    yield axm("wrong-command", "nothing", code=2)
    yield axm("wrong-option", "search x --nothing", code=2)
    yield axm("wrong-both", "tasks --all-projects --project /x", code=2)
    yield axm("wrong-id", "entry show ent_nothing", code=1)
    yield axm("wrong-passage", "show zzzz", code=1)
    yield axm("wrong-project", "query --perspective sessions --project /nowhere", code=1)
    yield axm("wrong-setting", "query --perspective sessions", env={"AXM_WORKERS": "many"}, code=2)
    yield axm("wrong-task", "task show tsk_nothing", code=1)
    yield axm("wrong-promote", "promote ent_nothing --reason x", code=1)


def forgotten() -> Iterator[Command]:
    yield axm("kb-remove", "kb remove @{root}/notes/zh --json")
    yield axm("kb-after", "kb search '战国无双3 武田信玄' --json -k 3")
    yield axm("prune", "index --prune --json", ends=CHINESE)
    yield axm("prune-after", "search '登录测试超时' --all-projects --json")
    yield axm("forget-dry", f"forget --session {FIRST} --dry-run --json")
    yield axm("forget", f"forget --session {FIRST} --reason test --json")
    yield axm("forget-after", "search 'two writers held the lock' --all-projects --json")
    yield axm("forget-entry", "entries --all-projects --json -k 200")
    yield axm("forget-verify", "verify --json")
    yield axm("forget-undo", f"forget --session {FIRST} --undo --json")
    yield axm("forget-document", "forget --document @{root}/notes/runbook.md --json")
    yield axm("forget-pad", "forget --pad @{pad_2} --json")
    yield axm("forget-workflow", "forget --workflow @{wf} --json")
    yield axm("forget-project", f"forget --project {KOREAN} --json")
    yield axm("forget-search", "search '스크롤 위치 선택' --all-projects --json -k 3")
    yield axm("verify-last", "verify --deep --json")
    yield axm("doctor-last", "doctor --json")
