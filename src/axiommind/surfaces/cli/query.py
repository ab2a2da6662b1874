"""`axm query`: a ready-made query (a perspective), or a select statement of your own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from axiommind.errors import BadQuery, UsageError
from axiommind.memory import Memory, Scope
from axiommind.reports.perspectives import COMMON, Param, Perspective, is_known, load, names
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

HELP = "Run a ready-made query, or read-only SQL"
CALLER = "reads"
GROUP = "ask"
_EPILOG = """examples:
  axm query hotfiles --format table
  axm query --perspective tool-frequency --top 10 --format table
  axm query --perspective transitions --tool "Bash:git"
  axm query --perspective prompts --search "테스트" --since 2026-01-01
  axm query --perspective usage --plot usage.svg
  axm query --sql "select count(*) as sessions from sessions"
"""


def configure(parser: argparse.ArgumentParser, argv: list[str]) -> None:
    parser.epilog = _EPILOG
    what = parser.add_argument_group("query")
    what.add_argument("name", metavar="NAME", nargs="?", help="the same as --perspective NAME")
    what.add_argument("--perspective", metavar="NAME", help="a ready-made query; --list-perspectives lists them")
    what.add_argument("--sql", metavar="SELECT", help="a select statement; - reads it from stdin")
    what.add_argument("--sql-file", metavar="FILE", help="a file with a select statement")
    what.add_argument("--list-perspectives", action="store_true", help="list the perspectives and their parameters")
    what.add_argument("--schema", action="store_true", help="list the tables and columns")
    where = parser.add_argument_group("scope (default: the project of this folder if it is indexed, otherwise all)")
    where.add_argument("--project", metavar="PATH", help="only this project")
    where.add_argument("--all-projects", action="store_true", help="all projects")
    where.add_argument("--db", metavar="FILE", type=Path, help="use this index file")
    how = parser.add_argument_group("output")
    how.add_argument("--format", choices=("json", "csv", "table"), default="json", help="output format (default: json)")
    how.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    how.add_argument("--plot", metavar="FILE", type=Path, help="also draw the rows as a chart (.svg or .png)")
    named = _named(argv)
    filters = parser.add_argument_group("filters of all perspectives")
    for param in load(named[0]).filters if len(named) == 1 else COMMON:
        _add(filters, param)
    own = parser.add_argument_group("parameters of some perspectives")
    own.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="any parameter, by name (repeatable)"
    )
    seen = {p.name for p in COMMON}
    for name in named:
        for param in load(name).params:
            if param.name not in seen:
                seen.add(param.name)
                _add(own, param)


def _named(argv: list[str]) -> list[str]:
    """The perspective on the command line, so that only that one is imported; all of them for help."""
    if argv and not argv[0].startswith("-"):
        return [argv[0]] if is_known(argv[0]) else []
    for i, word in enumerate(argv):
        name = word.partition("=")[2] if word.startswith("--perspective=") else ""
        if word == "--perspective" and i + 1 < len(argv):
            name = argv[i + 1]
        if name:
            return [name] if is_known(name) else []
    return [] if any(w.startswith("--sql") for w in argv) else names()


_METAVARS = {"since": "WHEN", "until": "WHEN", "top": "N", "min_count": "N", "session": "ID"}


def _add(group: Any, param: Param) -> None:
    group.add_argument(
        f"--{param.name.replace('_', '-')}",
        dest=f"p_{param.name}",
        metavar=_METAVARS.get(param.name, param.name.upper()),
        choices=param.choices or None,
        type=_reader(param),
        help=param.help.replace("%", "%%")
        + (f": {', '.join(param.choices)}" if param.choices else "")
        + (f" (default {param.default})" if param.default is not None else ""),
    )


def _reader(param: Param) -> Any:
    def read(text: str) -> Any:
        try:
            return param.read(text, options.now())
        except BadQuery as error:
            hint = "" if error.hint in ("", param.help) else f"; {error.hint}"
            raise argparse.ArgumentTypeError(f"{error.message}{hint}") from None

    return read


def run(args: argparse.Namespace) -> int:
    if args.list_perspectives:
        return _list(args.format)
    memory = Memory()
    if args.schema:
        return _schema(memory, args)
    asked = [w for w in (args.name, args.perspective, args.sql, args.sql_file) if w is not None]
    if len(asked) != 1:
        raise UsageError(
            "give one of NAME, --perspective, --sql or --sql-file", hint="axm query --list-perspectives lists them"
        )
    if args.project is not None and args.all_projects:
        raise UsageError("--project and --all-projects exclude each other")
    scope = memory.scope(project=args.project, all_projects=args.all_projects, db=args.db)
    name = args.name or args.perspective
    if name is None:
        if args.plot is not None:
            raise UsageError("--plot draws perspectives, not SQL results")
        given = [p.name for p in COMMON if getattr(args, f"p_{p.name}", None) is not None]
        if given or args.param:
            raise UsageError(
                f"--{(given or ['param'])[0].replace('_', '-')} works with perspectives; put it into the SQL"
            )
        found = memory.sql(_statement(args), scope, args.db)
        _print(found.names(), found.dicts(), args.format)
        _say(found.notes)
        return 0
    perspective = load(name)
    params = params_of(perspective, args)
    rows = memory.query(perspective, params, scope, args.db)
    _print(rows.columns, rows, args.format)
    _say(rows.notes)
    if not rows:
        _explain(memory, args, params, scope)
    if args.plot is not None:
        from axiommind.surfaces.render.plot import draw

        draw(rows, perspective, args.plot)
        sys.stderr.write(f"Chart: {args.plot}\n")
    return 0


def _explain(memory: Memory, args: argparse.Namespace, params: dict[str, Any], scope: Scope) -> None:
    """Why there are no rows, if that is not obvious: on stderr, for people and agents alike."""

    def first(sql: str) -> list[str]:
        return [str(row[0]) for row in memory.own_sql(sql, scope, args.db)]

    if first("select count(*) from sessions") == ["0"]:
        sys.stderr.write("Nothing has been indexed here yet; run: axm index\n")
        return
    tool, session = params.get("tool"), params.get("session")
    if isinstance(tool, str) and "%" not in tool:
        known = first("select distinct classified_name from tool_uses order by 1")
        if tool not in known:
            like = [name for name in known if name.lower().startswith(tool.lower().rstrip(":"))]
            hint = f"; there are {', '.join(like)}" if like else "; axm query --perspective tool-frequency lists them"
            sys.stderr.write(f"No tool is called {tool!r}{hint}\n")
    if isinstance(session, str) and not any(s.startswith(session) for s in first("select id from sessions")):
        sys.stderr.write(f"No session begins with {session!r}; axm query --perspective sessions lists them\n")


def params_of(perspective: Perspective, args: argparse.Namespace) -> dict[str, Any]:
    """Every parameter that the perspective knows: given as a flag, given by --param, or its default."""
    known = {p.name: p for p in (*perspective.filters, *perspective.params)}
    values: dict[str, Any] = {name: param.default for name, param in known.items()}
    for name in known:
        given = getattr(args, f"p_{name}", None)
        if given is not None:
            values[name] = given
    for pair in args.param:
        name, equals, text = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise BadQuery(f"--param {pair!r}: expected name=value")
        if name not in known:
            choice = ", ".join(sorted(known))
            raise BadQuery(f"{perspective.name} has no parameter {name!r}", hint=f"it has: {choice}")
        try:
            values[name] = known[name].read(text, options.now())
        except BadQuery as error:
            raise BadQuery(f"--param {name}: {error.message}", hint=error.hint) from None
    options.require_window(values["since"], values["until"])
    return values


def _statement(args: argparse.Namespace) -> str:
    if args.sql == "-" or args.sql_file == "-":
        return sys.stdin.read()
    if args.sql is not None:
        return str(args.sql)
    try:
        return Path(args.sql_file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadQuery(f"{args.sql_file} cannot be read: {error}") from error


def _print(columns: tuple[str, ...], rows: list[dict[str, Any]], form: str) -> None:
    if form == "json":
        print(render.as_json_rows(rows))
    elif form == "csv":
        print(render.as_csv(columns, rows))
    elif rows:
        print(render.as_table(columns, rows))
    else:
        options.say("No rows.")


def _say(notes: Iterable[str]) -> None:
    for note in notes:
        sys.stderr.write(render.printable(f"{note[:1].upper()}{note[1:]}") + "\n")


def _list(form: str) -> int:
    found = [load(name) for name in names()]
    if form == "table":
        table = [{"perspective": p.name, "what": p.summary, "parameters": _parameters(p)} for p in found]
        print(render.as_table(("perspective", "what", "parameters"), table))
        return 0
    rows: list[dict[str, Any]] = [
        {
            "name": p.name,
            "summary": p.summary,
            "columns": list(p.columns),
            "plot": p.plot is not None,
            "params": [
                {"name": q.name, "type": q.kind.__name__, "default": q.default, "help": q.help} for q in p.params
            ],
        }
        for p in found
    ]
    if form == "csv":
        flat = [{"name": r["name"], "summary": r["summary"]} for r in rows]
        print(render.as_csv(("name", "summary"), flat))
    else:
        print(render.as_json_rows(rows))
    return 0


def _parameters(perspective: Perspective) -> str:
    return " ".join(f"--{p.name.replace('_', '-')}" for p in perspective.params)


def _schema(memory: Memory, args: argparse.Namespace) -> int:
    scope = memory.scope(all_projects=True)
    tables = memory.own_sql(
        """
        select m.name as "table", m.type from sqlite_master m
        where m.type in ('table', 'view') and m.name not like '%\\_fts%' escape '\\' and m.name not like 'sqlite%'
        order by m.name
        """,
        scope,
        args.db,
    )
    rows = []
    for name, kind in tables:
        found = memory.own_sql(f'select * from "{name}" limit 0', scope, args.db)
        rows.append({"table": name, "type": kind, "columns": ", ".join(found.columns)})
    if args.format == "table":
        for row in rows:
            print(f"{render.bold(str(row['table']))}\n  {row['columns']}")
        return 0
    _print(("table", "type", "columns"), rows, args.format)
    return 0


def explain_unknown(flags: list[str]) -> str:
    """Which perspectives have a parameter that was given to another one."""
    named = {f"--{p.name.replace('_', '-')}": q for q in names() for p in load(q).params}
    found = [f"{flag} belongs to {named[flag]}" for flag in flags if flag in named]
    return "; ".join(found)
