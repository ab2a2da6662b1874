"""The graph of tools: components against reachability, figures by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from axiommind.reports.analysers.dependency_graph import build, components
from axiommind.reports.analysers.units import ToolStep, Unit

names = st.sampled_from("abcdef")
graphs = st.dictionaries(names, st.lists(names, max_size=4), max_size=6).map(
    lambda g: {n: g.get(n, []) for n in sorted({*g, *(m for ms in g.values() for m in ms)})}
)
units = st.lists(st.lists(st.sampled_from("ABCG"), min_size=1, max_size=9), max_size=8).map(
    lambda runs: [Unit("s", [ToolStep(t if t != "G" else "Bash:git") for t in run]) for run in runs]
)


def of(letters: str, first_counted: int = 0) -> Unit:
    return Unit("s", [ToolStep({"G": "Bash:git"}.get(c, c), None, i >= first_counted) for i, c in enumerate(letters)])


def reach(graph: dict[str, list[str]], start: str) -> set[str]:
    seen, todo = {start}, [start]
    while todo:
        for other in graph[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


@given(graphs)
def test_components_are_the_mutually_reachable_nodes(graph: dict[str, list[str]]) -> None:
    expected = {frozenset(m for m in reach(graph, n) if n in reach(graph, m)) for n in graph}
    found = components(graph)
    assert {frozenset(c) for c in found} == expected
    assert sorted(n for c in found for n in c) == sorted(graph)


def test_a_deep_graph_does_not_exhaust_the_stack() -> None:
    depth = 20_000
    chain = {str(i): [str((i + 1) % depth)] for i in range(depth)}
    assert [len(c) for c in components(chain)] == [depth]


def test_nodes_and_edges_by_hand() -> None:
    graph = build([of("ABG"), of("AB"), of("C")])
    a = next(n for n in graph.nodes if n.tool == "A")
    assert (a.uses, a.fan_out, a.fan_in, a.position, a.entry_rate, a.terminal_rate) == (
        2,
        1,
        0,
        0.0,
        1.0,
        0.0,
    )
    b = next(n for n in graph.nodes if n.tool == "B")
    assert (b.position, b.terminal_rate) == (0.75, 0.5)
    assert "C" not in {n.tool for n in graph.nodes}, "a unit of one use leads nowhere"
    [ab] = [e for e in graph.edges if e.source == "A"]
    assert (ab.target, ab.count, ab.probability, ab.reverse) == ("B", 2, 1.0, 1.0)
    assert (ab.commit_rate, ab.steps_to_end) == (0.5, 0.5)


def test_a_cycle_needs_room_for_a_second_round() -> None:
    assert build([of("ABA")]).cycles == []
    [cycle] = build([of("ABAB"), of("ABABAB")]).cycles
    assert (cycle.tools, cycle.units, cycle.repetitions) == (("A", "B"), 2, 2.5)


def test_a_cycle_is_found_inside_a_history_where_all_tools_reach_each_other() -> None:
    mixed = of("ABABABAB"), of("BCDEFA"), of("FEDCB")
    assert ("A", "B") in {c.tools for c in build(mixed).cycles}


def test_rare_edges_can_be_left_out() -> None:
    graph = build([of("ABABAB"), of("AC")], least_probability=0.5)
    assert {(e.source, e.target) for e in graph.edges} == {("A", "B"), ("B", "A")}


def test_paths_are_prefixes_seen_twice() -> None:
    graph = build([of("ABCABCABCG"), of("ABCABCABC"), of("BA")])
    [path] = graph.paths
    assert (path.tools, path.units, path.commit_rate) == (tuple("ABCABCAB"), 2, 0.5)


def test_copies_give_context_but_are_not_counted() -> None:
    graph = build([of("ABC"), of("ABCA", first_counted=3)])
    assert {n.tool: n.uses for n in graph.nodes} == {"A": 2, "B": 1, "C": 1}
    assert {(e.source, e.target): e.count for e in graph.edges} == {
        ("A", "B"): 1,
        ("B", "C"): 1,
        ("C", "A"): 1,
    }
    assert graph.paths == []


@given(units)
def test_probabilities_sum_to_one_both_ways(found: list[Unit]) -> None:
    edges = build(found).edges
    for end, share in (("source", "probability"), ("target", "reverse")):
        sums: dict[str, float] = {}
        for edge in edges:
            sums[getattr(edge, end)] = sums.get(getattr(edge, end), 0) + getattr(edge, share)
        assert all(abs(total - 1) < 1e-9 for total in sums.values())


@given(units)
def test_cycles_really_occur(found: list[Unit]) -> None:
    for cycle in build(found).cycles:
        size = len(cycle.tools)
        holding = [
            unit
            for unit in found
            if len(unit.uses) >= 2 * size
            and any(
                {use.tool for use in unit.uses[i : i + size]} == set(cycle.tools)
                for i in range(len(unit.uses) - size + 1)
            )
        ]
        assert cycle.units == len(holding)
        assert cycle.repetitions >= 1


def test_nothing_gives_nothing() -> None:
    assert build([]) == ([], [], [], [])
