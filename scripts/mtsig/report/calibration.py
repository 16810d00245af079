"""The tables of a calibration study in the layout of Koehn (2004)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mtsig.report import format as fmt
from mtsig.report.cells import Row, cells, flag_notes, grouped, whole_percent
from mtsig.report.render import Column, Table

__all__ = ["calibration_tables", "coverage_tables", "pair_order", "power_tables", "ranges_tables", "tables_of_tests"]


def calibration_tables(rows: Sequence[Row]) -> list[Table]:
    """Conclusions by confidence, and how many are right: bins down, schemes across."""
    tables = []
    for place, members in cells(rows):
        schemes = list(grouped(members, ("scheme",)))
        bins = [row["bin"] for row in schemes[0][1]]
        body = [
            (label, *(cell for _, its in schemes for cell in _bin_cells(its[position])))
            for position, label in enumerate(bins)
        ]
        totals = (sum(row["conclusions"] for row in its) for _, its in schemes)
        body.append(("all", *(cell for total in totals for cell in (fmt.count(total), ""))))
        columns = [Column("Confidence"), *(_CONCLUSIONS * len(schemes))]
        groups = [("", 1), *((key["scheme"], len(_CONCLUSIONS)) for key, _ in schemes)]
        notes = (
            "Confidence: share of the resamples in which the leading system is better. Every subset of every size "
            "gives one conclusion for each pair. Without a leading or a truly better system a conclusion is neither "
            "right nor wrong.",
        )
        rules = frozenset({len(bins)})
        tables.append(
            Table(f"Conclusions, {place}", tuple(columns), tuple(body), notes, rules=rules, groups=tuple(groups))
        )
    return tables


_CONCLUSIONS = (Column.number("conclusions"), Column.number("correct"))


def _bin_cells(row: Row) -> tuple[str, str]:
    return fmt.count(row["conclusions"]), whole_percent(row["percent_correct"])


def pair_order(rows: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    """Rows of each pair, best systems first, as the paper lists them.

    Parameters
    ----------
    rows
        With system_a, system_b, difference and truth.
    """
    pairs = list(grouped(rows, ("system_a", "system_b")))
    gains: dict[str, dict[str, float]] = {}
    for key, members in pairs:
        gain = abs(members[0]["difference"] or 0.0) * {"a": 1, "b": -1, "tie": 0}[members[0]["truth"]]
        gains.setdefault(key["system_a"], {})[key["system_b"]] = -gain
        gains.setdefault(key["system_b"], {})[key["system_a"]] = gain
    standing = _standing(gains)

    def place(item: tuple[Row, list[Row]]) -> tuple[float, float]:
        key, _ = item
        better, worse = sorted((standing[key["system_a"]], standing[key["system_b"]]), reverse=True)
        return -better, -worse

    return sorted(pairs, key=place)


def _standing(gains: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """How far each system stands above another one, going from pair to pair: not all pairs need to be there."""
    standing: dict[str, float] = {}
    for start in gains:
        waiting = [(start, 0.0)]
        while waiting:
            system, value = waiting.pop()
            if system not in standing:
                standing[system] = value
                waiting += [(other, value + gain) for other, gain in gains[system].items()]
    return standing


def pair_words(row: Row) -> str:
    """A pair with the better system first: ``ES > PT``, or ``A = B`` for a true tie."""
    first, second = row["system_a"], row["system_b"]
    if row["truth"] == "b":
        first, second = second, first
    return f"{first} {'=' if row['truth'] == 'tie' else '>'} {second}"


def power_tables(rows: Sequence[Row]) -> list[Table]:
    """How often Koehn's verdict is right or wrong: pairs down, sizes across, one table per scheme."""
    tables = []
    for place, members in cells(rows):
        for key, its in grouped(members, ("scheme",)):
            places = fmt.decimals(abs(row["difference"] or 0.0) / 20 for row in its)
            body = [
                (
                    pair_words(same[0]),
                    fmt.number(None if row["difference"] is None else abs(row["difference"]), places),
                    *(_verdict_cell(row) for row in same),
                )
                for _, same in pair_order(its)
                for row in same[:1]
            ]
            columns = (Column("Systems"), Column.number("Difference"), *_size_columns(its))
            notes = (
                "Share of the subsets in which the better system is called better at the given level / share in which "
                "the worse one is; one number where none is wrong.",
                *flag_notes(its),
            )
            tables.append(Table(f"Verdicts on {key['scheme']} subsets, {place}", columns, tuple(body), notes))
    return tables


def _verdict_cell(row: Row) -> str:
    if row["percent_correct"] is None:
        return ""
    right, wrong = whole_percent(row["percent_correct"]), row["percent_wrong"]
    return f"{right}/{whole_percent(wrong)}" if wrong else right


def _size_columns(rows: Sequence[Row]) -> list[Column]:
    return [Column.number(fmt.count(key["subset_size"])) for key, _ in grouped(rows, ("subset_size",))]


def _by_size(
    rows: Sequence[Row], name: str, title: str, heading: str, cell: Callable[[Row], str], notes: tuple[str, ...]
) -> list[Table]:
    """Tables with schemes and systems (or tests) down and sizes across."""
    tables = []
    for place, members in cells(rows):
        body: list[tuple[str, ...]] = []
        rules = []
        for scheme, its in grouped(members, ("scheme",)):
            rules.append(len(body))
            body += [(scheme["scheme"], key[name], *(cell(row) for row in same)) for key, same in grouped(its, (name,))]
        columns = (Column("Scheme"), Column(heading), *_size_columns(members))
        every = (*notes, *flag_notes(members))
        tables.append(Table(f"{title}, {place}", columns, tuple(body), every, rules=frozenset(rules)))
    return tables


def coverage_tables(rows: Sequence[Row]) -> list[Table]:
    """How many of the intervals hold the true score."""
    return _by_size(
        rows,
        "system",
        "Intervals that hold the true score",
        "System",
        lambda row: "" if not row["n_subsets"] else _covered(row),
        ("A dagger marks a share that chance does not explain (99% limits around the nominal level).",),
    )


def _covered(row: Row) -> str:
    mark = "†" if "outside_limits" in row["flags"] else ""
    return f"{fmt.count(row['covered'])} of {fmt.count(row['n_subsets'])}{mark}"


def ranges_tables(rows: Sequence[Row]) -> list[Table]:
    """From where to where the scores of subsets reach."""
    # Metrics have scales of their own.
    places = {key["metric"]: fmt.decimals(row["sd"] for row in its) for key, its in grouped(rows, ("metric",))}
    return _by_size(
        rows,
        "system",
        "Ranges of the scores of subsets",
        "System",
        lambda row: "" if not row["n_subsets"] else _range(row, places[row["metric"]]),
        ("Least to greatest score, and in brackets their standard deviation.",),
    )


def _range(row: Row, places: int) -> str:
    spread = "" if row["sd"] is None else f" ({fmt.number(row['sd'], places)})"
    return f"{fmt.number(row['minimum'], places)} to {fmt.number(row['maximum'], places)}{spread}"


def tables_of_tests(rows: Sequence[Row]) -> list[Table]:
    """The tests side by side: how often each finds the better system, and how often it names the worse one."""
    return _by_size(
        rows,
        "test",
        "Tests side by side",
        "Test",
        _verdict_cell,
        (
            "Share of all conclusions in which the test calls the better system better / the worse one; one number "
            "where none is wrong.",
        ),
    )
