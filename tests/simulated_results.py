"""Small results trees for the tests of the report layer, made without the code that they are used to test.

Segment scores are drawn from a normal law; a plain bootstrap gives intervals and p-values. Only the shape of the
tables, not the statistics, matters to those tests.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mtsig import io
from mtsig.contracts import TABLES, scores_schema

N_RESAMPLES = 200


def names(number: int) -> list[str]:
    """System names of the usual kinds."""
    kinds = ["ONLINE-A", "GPT4-5shot", "org/model v1.2", "lab_submission", "ZengHuiMT", "c++"]
    return [kinds[i] if i < len(kinds) else f"system-{i:03d}" for i in range(number)]


def result_rows(
    systems: list[str],
    *,
    metric: str = "bleu",
    testset: str = "wmt23-en-de",
    langpair: str = "en-de",
    n_segments: int = 200,
    seed: int = 1,
    spread: float = 1.0,
    higher_is_better: bool | None = True,
    identical: tuple[str, str] | None = None,
    scale: float = 1.0,
) -> tuple[list[dict], list[dict], np.ndarray]:
    """Rows of the systems and pairs tables of one metric, and the segment scores (systems, segments) behind them."""
    rng = np.random.default_rng(seed)
    level = rng.normal(30, spread, len(systems))[:, None]
    scores = level + rng.normal(0, 4, n_segments) + rng.normal(0, 4, (len(systems), n_segments))
    if identical:
        scores[systems.index(identical[1])] = scores[systems.index(identical[0])]
    scores *= scale
    draws = rng.integers(0, n_segments, (N_RESAMPLES, n_segments))
    replicates = scores[:, draws].mean(axis=2)
    k = int(0.025 * N_RESAMPLES)
    ordered = np.sort(replicates, axis=1)
    sign = -1 if higher_is_better is False else 1
    common = {"testset": testset, "langpair": langpair, "metric": metric}
    settings = {
        "confidence_level": 0.95,
        "alpha": 0.05,
        "n_resamples": N_RESAMPLES,
        "seed": 12345,
        "resample_unit": "segment",
        "higher_is_better": higher_is_better,
        "signature": f"{metric}|simulated",
    }
    pair_rows = []
    better: dict[str, set[str]] = {name: set() for name in systems}
    for a in sorted(systems):
        for b in sorted(systems):
            if a >= b:
                continue
            i, j = systems.index(a), systems.index(b)
            delta = replicates[i] - replicates[j]
            wins_a, wins_b = int((sign * delta > 0).sum()), int((sign * delta < 0).sum())
            p = min(1.0, 2 * (min(N_RESAMPLES - wins_a, N_RESAMPLES - wins_b) + 1) / (N_RESAMPLES + 1))
            significant = p < 0.05 and higher_is_better is not None
            winner = (a if wins_a > wins_b else b) if significant else None
            if winner:
                better[a if winner == b else b].add(winner)
            low, high = np.sort(delta)[[k, N_RESAMPLES - k - 1]]
            directed = higher_is_better is not None
            pair_rows.append(
                {
                    **common,
                    "system_a": a,
                    "system_b": b,
                    "n_segments": n_segments,
                    "n_units": n_segments,
                    "score_a": float(scores[i].mean()),
                    "score_b": float(scores[j].mean()),
                    "delta": float(scores[i].mean() - scores[j].mean()),
                    "ci_low": float(low),
                    "ci_high": float(high),
                    "detectable_difference": float(2.8 * delta.std()) if directed else None,
                    "wins_a": wins_a if directed else None,
                    "wins_b": wins_b if directed else None,
                    "ties": N_RESAMPLES - wins_a - wins_b if directed else None,
                    "koehn_a": wins_a / N_RESAMPLES if directed else None,
                    "koehn_b": wins_b / N_RESAMPLES if directed else None,
                    "koehn_verdict": "none" if directed else None,
                    "p_value": p,
                    "p_value_low": p / 2,
                    "p_value_high": min(1.0, p * 2),
                    "p_adjusted": None,
                    "p_one_sided": p / 2,
                    "p_shift": p,
                    "p_ar": p,
                    "ar_exact": False,
                    "p_sacrebleu_bs": None,
                    "p_sacrebleu_ar": None,
                    "equivalence_margin": None,
                    "p_equivalence": None,
                    "p_noninferiority": None,
                    "significant": significant,
                    "winner": winner,
                    "adjust": "none",
                    "n_trials": 1000,
                    "max_resamples": 100_000,
                    "flags": ["equal_texts", "identical_output"] if identical and {a, b} == set(identical) else [],
                    **settings,
                }
            )
    means = scores.mean(axis=1)
    system_rows = []
    for name in sorted(systems):
        i = systems.index(name)
        worse = sum(name in beaten_by for other, beaten_by in better.items() if other != name)
        directed = higher_is_better is not None
        system_rows.append(
            {
                **common,
                "system": name,
                "n_segments": n_segments,
                "n_units": n_segments,
                "score": float(means[i]),
                "ci_low": float(ordered[i, k]),
                "ci_high": float(ordered[i, N_RESAMPLES - k - 1]),
                "boot_mean": float(replicates[i].mean()),
                "boot_se": float(replicates[i].std(ddof=1)),
                "rank": int(1 + (sign * means > sign * means[i]).sum()) if directed else None,
                "rank_low": 1 + len(better[name]) if directed else None,
                "rank_high": len(systems) - worse if directed else None,
                "cluster": 1 if directed else None,
                "flags": [],
                **settings,
            }
        )
    return system_rows, pair_rows, scores


def write_results(folder: Path, systems: list[str], *, metric: str = "bleu", **options) -> tuple[Path, Path]:
    """Write the systems and pairs tables of one metric below `folder` and give their paths."""
    system_rows, pair_rows, _ = result_rows(systems, metric=metric, **options)
    paths = folder / "systems" / f"{metric}.parquet", folder / "pairs" / f"{metric}.parquet"
    metadata = {"signature": f"{metric}|simulated", "seed": 12345}
    io.write_table(paths[0], system_rows, TABLES["systems"], metadata=metadata)
    io.write_table(paths[1], pair_rows, TABLES["pairs"], metadata=metadata)
    return paths


#: Texts that must be shown literally, one per segment.
HOSTILE_TEXTS = (
    "<script>alert(1)</script> </td>", "&amp; <b>bold</b>", "x" * 10_000, "שלום <i>עולם</i>", "", None,
    "null", "NA", "007", "1e5", "=SUM(A1)", '"quoted',
)  # fmt: skip

WORDS = ["the", "of", "committee", "approved", "annual", "budget", "rain", "closed", "two", "bridges", "old", "town"]


def write_tree(folder: Path, systems: list[str], *, n_segments: int = 60, testset: str = "wmt23-en-de") -> dict:
    """Write all tables of a test set with three metrics, and give their paths as the step `report` takes them."""
    rng = np.random.default_rng(3)
    common = {"testset": testset, "langpair": "en-de"}

    def text() -> str:
        return " ".join(rng.choice(WORDS, rng.integers(5, 15)))

    def document(segment: int) -> tuple[str, str]:
        return f"doc{segment // 5}", ["news", "social"][segment // 5 % 2]

    segments = [
        {
            **common,
            "segment": i,
            "segment_id": str(i + 1),
            "document": document(i)[0],
            "domain": document(i)[1],
            "source": text(),
            "references": [text(), None if i == 3 else text()],
        }
        for i in range(n_segments)
    ]
    hypotheses = [
        {**common, "system": name, "segment": i, "hypothesis": HOSTILE_TEXTS[i] if i < len(HOSTILE_TEXTS) else text()}
        for name in sorted(systems)
        for i in range(n_segments)
    ]
    io.write_table(
        folder / "segments.parquet", segments, TABLES["segments"], metadata={"references": '["refA", "refB"]'}
    )
    io.write_table(folder / "hypotheses.parquet", hypotheses, TABLES["hypotheses"])
    finding = {"level": "warning", "code": "empty_hypothesis", "system": systems[0], "segment": 4}
    io.write_json(
        folder / "lint.json",
        {"schema_version": 1, "findings": [{**finding, "message": f"{systems[0]} has <b>nothing</b> in segment 5"}]},
    )
    paths: dict = {name: [] for name in ("scores", "systems", "pairs", "groups")}
    for number, (metric, higher) in enumerate({"bleu": True, "ter": False, "length_ratio": None}.items()):
        system_rows, pair_rows, scores = result_rows(
            systems, metric=metric, testset=testset, n_segments=n_segments, seed=number, higher_is_better=higher
        )
        metadata = {"signature": f"{metric}|simulated", "seed": 12345}
        tables = {
            "systems": (system_rows, TABLES["systems"]),
            "pairs": (pair_rows, TABLES["pairs"]),
            "scores": (
                [
                    {**common, "metric": metric, "system": name, "segment": i, "score": score, "value": score}
                    for name in sorted(systems)
                    for i, score in enumerate(scores[systems.index(name)].tolist())
                ],
                scores_schema(("value",)),
            ),
            "groups": (_group_rows(common, metric, systems, scores, segments, higher), TABLES["groups"]),
        }
        for name, (rows, schema) in tables.items():
            path = folder / name / f"{metric}.parquet"
            io.write_table(path, rows, schema, metadata=metadata)
            paths[name].append(path)
    whole = {"segments": "segments.parquet", "hypotheses": "hypotheses.parquet", "lint": "lint.json"}
    return {**{name: [folder / file] for name, file in whole.items()}, **paths}


def _group_rows(
    common: dict, metric: str, systems: list[str], scores: np.ndarray, segments: list, higher
) -> list[dict]:
    rows = []
    for name in sorted(systems):
        for kind in ("document", "domain"):
            for group, domain in sorted({(segment[kind], segment["domain"]) for segment in segments}):
                members = [i for i, segment in enumerate(segments) if segment[kind] == group]
                score = float(scores[systems.index(name), members].mean())
                rows.append(
                    {
                        **common,
                        "metric": metric,
                        "system": name,
                        "group_kind": kind,
                        "group": group,
                        "domain": domain,
                        "n_segments": len(members),
                        "score": score,
                        "ci_low": score - 1,
                        "ci_high": score + 1,
                        "confidence_level": 0.95,
                        "n_resamples": N_RESAMPLES,
                        "seed": 12345,
                        "higher_is_better": higher,
                        "signature": f"{metric}|simulated",
                        "flags": [],
                    }
                )
    return rows
