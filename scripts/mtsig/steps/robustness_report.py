"""A robustness study's parts put together: its tables and figure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from operator import itemgetter

import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.io import StrPath, arrow_schema
from mtsig.report import robustness as pages
from mtsig.steps.study_files import Rows, gather, write_files
from mtsig.studies.robustness import BASIS, Choice, Verdict, agreement

__all__ = ["robustness_report"]

_KEYS = ("study", "testset", "langpair", "metric")


def robustness_report(*, study: str, parts: Sequence[StrPath], files: Sequence[StrPath]) -> None:
    """Count which choices agree with the basis, and put the parts of a robustness study together.

    Parameters
    ----------
    study
        Name of the study.
    parts
        The table of choices of each test set.
    files
        The files to write, see `mtsig.steps.study_files.write_files`.
    """
    tables = gather(parts, ["choices"])
    by_testset = itertools.groupby(tables["choices"].to_pylist(), key=itemgetter("testset"))
    rows = [row for _, choices in by_testset for row in _agreement_rows(list(choices))]
    tables["agreement"] = pa.Table.from_pylist(rows, schema=arrow_schema(TABLES["agreement"]))
    write_files(
        files,
        tables,
        study=study,
        pages={"agreement": pages.agreement_tables},
        titles={"agreement": "do the verdicts hold?"},
        figures={"agreement": lambda rows: pages.agreement_figure(rows["agreement"])},
    )


def _agreement_rows(rows: Rows) -> Rows:
    """The rows of the agreement table for one test set."""
    choices: dict[tuple[str, str], dict[tuple[str, str], Verdict]] = {}
    for row in rows:
        verdict = Verdict(row["delta"], row["p_value"], row["winner"])
        choices.setdefault((row["choice_kind"], row["choice"]), {})[row["system_a"], row["system_b"]] = verdict
    made = [Choice(kind, value, verdicts) for (kind, value), verdicts in choices.items()]
    basis = next(choice for choice in made if choice.kind == BASIS)
    keys = {name: rows[0][name] for name in _KEYS}
    return [
        {
            **keys,
            "system_a": one.pair[0],
            "system_b": one.pair[1],
            "choice_kind": one.kind,
            "base_winner": one.basis,
            "choices": one.choices,
            "agree": one.agree,
            "lost": one.lost,
            "gained": one.gained,
            "turned": one.turned,
            "share_agree": one.agree / one.choices if one.choices else None,
        }
        for one in agreement(basis, [choice for choice in made if choice.kind != BASIS])
    ]
