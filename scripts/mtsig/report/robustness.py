"""Table, figure and sentence of a study of kind robustness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mtsig.report import format as fmt
from mtsig.report.figures import PALETTE, inline, labels
from mtsig.report.render import Column, Table
from mtsig.studies.robustness import KINDS

__all__ = ["agreement_figure", "agreement_sentence", "agreement_tables"]

Row = Mapping[str, Any]

#: Pairs that a figure shows; those that hang most on choices.
_MOST_PAIRS = 40

_HEADINGS = {"all": "all", "n_resamples": "resamples", "resample_unit": "unit"}


def _cases(rows: Sequence[Row]) -> dict[tuple[str, str], dict[tuple[str, str], dict[str, Row]]]:
    """(test set, metric) to pair to kind to row, the pairs with the least agreement first.

    Every kind of choice counts the same here: there are often far more documents to leave out than metrics to choose.
    """
    found: dict[tuple[str, str], dict[tuple[str, str], dict[str, Row]]] = {}
    for row in rows:
        pairs = found.setdefault((row["testset"], row["metric"]), {})
        pairs.setdefault((row["system_a"], row["system_b"]), {})[row["choice_kind"]] = row
    return {
        case: dict(sorted(pairs.items(), key=lambda item: (_share(item[1]["all"]), item[0])))
        for case, pairs in found.items()
    }


def _share(row: Row) -> float:
    """The mean over kinds of choice of the share that agrees; 1 where there is no other choice."""
    return 1.0 if row["share_agree"] is None else float(row["share_agree"])


def _kinds(pairs: Mapping[Any, Mapping[str, Row]]) -> list[str]:
    present = {kind for by_kind in pairs.values() for kind in by_kind}
    return ["all", *(kind for kind in KINDS if kind in present)]


def _verdict(row: Row) -> str:
    """The basis of a pair: who is significantly better."""
    one, two = row["system_a"], row["system_b"]
    if row["base_winner"] is None:
        return f"{one} ≈ {two}"
    return f"{row['base_winner']} > {two if row['base_winner'] == one else one}"


def _counts(row: Row | None) -> str:
    return "" if row is None else f"{row['agree']}/{row['choices']}"


def agreement_tables(rows: Sequence[Row]) -> list[Table]:
    """For each test set: how many choices of every kind agree with the basis, pair by pair."""
    tables = []
    for (testset, metric), pairs in _cases(rows).items():
        kinds = _kinds(pairs)
        body = [
            (
                _verdict(by_kind["all"]),
                fmt.percent(by_kind["all"]["share_agree"]),
                *(_counts(by_kind.get(kind)) for kind in kinds),
                ", ".join(
                    f"{by_kind['all'][name]} {name}" for name in ("lost", "gained", "turned") if by_kind["all"][name]
                ),
            )
            for by_kind in pairs.values()
        ]
        columns = (
            Column("Verdict of the basis"),
            Column.number("Agree"),
            *(Column.number(_HEADINGS.get(kind, kind)) for kind in kinds),
            Column("Otherwise"),
        )
        notes = (
            agreement_sentence([row for row in rows if (row["testset"], row["metric"]) == (testset, metric)]),
            "A > B: A is significantly better; A ≈ B: neither is. Agree: the mean over kinds of choice, of which each "
            "counts the same. Each fraction is the number of choices with the same verdict among all choices of that "
            "kind (domain, document: one left out at a time).",
            "Lost: no star where the basis has one. Gained: a star where it has none. Turned: a star for the other.",
        )
        tables.append(Table(f"{testset}, {metric}", columns, tuple(body), notes))
    return tables


def agreement_sentence(rows: Sequence[Row]) -> str:
    """How many verdicts every choice shares, and how many turn around."""
    whole = [row for row in rows if row["choice_kind"] == "all" and row["choices"]]
    if not whole:
        return "There is no pair with another choice."
    firm = sum(row["agree"] == row["choices"] for row in whole)
    turned = sum(row["turned"] > 0 for row in whole)
    choices = max(row["choices"] for row in whole)
    turns = "none is" if not turned else "1 is" if turned == 1 else f"{turned} are"
    agree = fmt.percent(sum(map(_share, whole)) / len(whole))
    return (
        f"{firm} of {len(whole)} verdicts are the same under all {choices} choices; {turns} turned around by some. On "
        f"average over kinds of choice {agree} agree."
    )


def agreement_figure(rows: Sequence[Row]) -> Any:
    """Share of choices that agree with the basis, by pair and kind of choice; the least agreed pairs first."""
    charts = []
    for (testset, metric), pairs in _cases(rows).items():
        kinds = _kinds(pairs)
        shown = list(pairs.values())[:_MOST_PAIRS]
        names = labels((_verdict(by_kind["all"]) for by_kind in shown), 48)
        cells = [
            {
                "pair": names[_verdict(by_kind["all"])],
                "kind": _HEADINGS.get(kind, kind),
                "share": row["share_agree"],
                "text": _counts(row),
            }
            for by_kind in shown
            for kind in kinds
            if (row := by_kind.get(kind)) is not None and row["choices"]
        ]
        base = alt.Chart(inline(cells)).encode(
            x=alt.X(
                "kind:N",
                sort=[_HEADINGS.get(kind, kind) for kind in kinds],
                title=None,
                axis=alt.Axis(orient="top", labelAngle=-45, domain=False, ticks=False),
            ),
            y=alt.Y("pair:N", sort=list(names.values()), title=None, axis=alt.Axis(domain=False, ticks=False)),
        )
        colour = alt.Color(
            "share:Q",
            title="share that agrees",
            scale=alt.Scale(domain=[0, 1], range=[PALETTE["worse_strong"], PALETTE["none"]], interpolate="rgb"),
            legend=alt.Legend(format=".0%", orient="bottom", direction="horizontal", gradientLength=160),
        )
        ink = alt.condition("datum.share < 0.4", alt.value("white"), alt.value(PALETTE["text"]))
        left = len(pairs) - len(shown)
        subtitle = "A > B: A significantly better; A ≈ B: neither" + (
            f"; {left} firmer pairs not shown" if left else ""
        )
        charts.append(
            alt.layer(
                base.mark_rect(aria=False, stroke="white").encode(color=colour),
                base.mark_text(aria=False, fontSize=10).encode(text="text:N", color=ink),
                width=alt.Step(46),
                height=alt.Step(20),
                title=alt.TitleParams(f"Which verdicts hold: {metric} on {testset}", subtitle=subtitle),
            )
        )
    return alt.vconcat(*charts).resolve_scale(y="independent")
