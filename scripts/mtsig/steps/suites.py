"""The step `suites`: one metric averaged over test sets, with joint intervals and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from mtsig.contracts import TABLES
from mtsig.errors import InputError
from mtsig.io import StrPath, read_json, read_metadata, read_table, write_table
from mtsig.metrics.cautions import Cautions
from mtsig.metrics.neural.signatures import scoring_of
from mtsig.resampling.settings import ResamplingSettings
from mtsig.resampling.suites import SuiteAnalysis, SuiteMember, analyse_suite
from mtsig.steps.cells import as_rows
from mtsig.steps.comparison import doubted, doubts_of, scorer_of
from mtsig.steps.resample import read_statistics

__all__ = ["suites"]


def suites(
    *,
    segments: Sequence[StrPath],
    scores: Sequence[StrPath],
    member_pairs: Sequence[StrPath],
    suite: str,
    testsets: Sequence[str],
    langpairs: Sequence[str],
    metric: str,
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    missing: str,
    systems: StrPath,
    pairs: StrPath,
    lint: Sequence[StrPath] = (),
    threads: int = 1,
) -> None:
    """Average a metric over test sets, and write the systems and pairs tables of the suite.

    Parameters
    ----------
    segments, scores, member_pairs
        What `ingest`, `score` and `resample` wrote for each test set.
    suite
        Name of the suite.
    testsets, langpairs
        Name and language pair of each test set, in the order of the files.
    metric, settings
        The metric's name and its options.
    options
        Those of `mtsig.resampling.settings.ResamplingSettings`.
    missing
        See `mtsig.resampling.suites.analyse_suite`.
    systems, pairs
        The tables to write.
    lint
        What `ingest` found in the input of each test set.
    threads
        How many threads work; no number depends on it.

    Raises
    ------
    ConfigError, InputError
        As `analyse_suite`, or if a table is damaged.
    """
    resampling = ResamplingSettings(**options)
    members = []
    for testset, langpair, segments_path, scores_path in zip(testsets, langpairs, segments, scores, strict=True):
        texts = read_table(segments_path, columns=["document", "domain"])
        scorer = scorer_of(metric, settings, langpair)
        members.append(
            SuiteMember(
                testset=testset,
                statistics=read_statistics(scores_path, scorer.statistic_names, n_segments=texts.num_rows),
                scorer=scorer,
                documents=texts["document"].to_pylist(),
                domains=texts["domain"].to_pylist(),
            )
        )
    notes = {name: read_metadata(path) for name, path in zip(testsets, scores, strict=True)}
    cautions = Cautions.of_suite([Cautions.from_json(each.get("flags", "")) for each in notes.values()])
    analysis = analyse_suite(members, resampling, missing=missing, cautions=cautions, threads=threads)
    signatures = {name: each.get("signature", "") for name, each in notes.items()}
    signature = _joint(signatures)
    shared = {
        **asdict(resampling),
        "suite": suite,
        "metric": metric,
        "n_testsets": len(members),
        "higher_is_better": members[0].scorer.higher_is_better,
        "signature": signature,
    }
    metadata = {"signature": signature, "seed": resampling.seed}
    doubts = doubts_of(finding for path in lint for finding in read_json(path)["findings"])
    present = Counter(name for member in members for name in member.statistics)
    system_rows = [{**asdict(row), "n_testsets": present[row.system]} for row in analysis.systems]
    pair_rows = _pair_rows(
        analysis,
        [read_table(path).to_pylist() for path in member_pairs],
        directed=shared["higher_is_better"] is not None,
    )
    for path, table, rows in ((systems, "suite_systems", system_rows), (pairs, "suite_pairs", pair_rows)):
        write_table(path, as_rows(doubted(rows, doubts), TABLES[table], shared), TABLES[table], metadata=metadata)


def _joint(signatures: Mapping[str, str]) -> str:
    """The signature that all test sets share, or all of them by name.

    Raises
    ------
    InputError
        If neural scores were made in different ways, so that their average would mean nothing.
    """
    if len(set(signatures.values())) == 1:
        return next(iter(signatures.values()))
    ways: dict[str | None, str] = {}
    for testset, signature in signatures.items():
        ways.setdefault(scoring_of(signature), testset)
    if len(ways) > 1:
        (first, second), *_ = combinations(ways.values(), 2)
        raise InputError(
            f"the scores of {first} and {second} were made in different ways ({signatures[first]} and "
            f"{signatures[second]}). Score all test sets again: snakemake comet --forcerun comet_score."
        )
    return "; ".join(f"{testset}: {signature}" for testset, signature in signatures.items())


def _pair_rows(
    analysis: SuiteAnalysis, by_testset: Sequence[Sequence[Mapping[str, Any]]], *, directed: bool
) -> list[dict[str, Any]]:
    """Rows of pairs, with the numbers of test sets that each system wins; without a direction nobody wins."""
    winners: dict[tuple[str, str], list[str | None]] = {}
    for rows in by_testset:
        for row in rows:
            winners.setdefault((row["system_a"], row["system_b"]), []).append(row["winner"])
    found = []
    for pair in analysis.pairs:
        key = (pair.system_a, pair.system_b)
        better_a, better_b = analysis.wins[key]
        found.append(
            {
                **asdict(pair),
                "testset_wins_a": better_a if directed else None,
                "testset_wins_b": better_b if directed else None,
                "testset_significant_a": winners.get(key, []).count(pair.system_a) if directed else None,
                "testset_significant_b": winners.get(key, []).count(pair.system_b) if directed else None,
            }
        )
    return found
