"""The power study of one test set by one metric: all swept seeds and numbers of resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from mtsig.errors import ConfigError
from mtsig.report import planning as words
from mtsig.resampling.settings import FEW_UNITS
from mtsig.resampling.units import sum_units
from mtsig.steps.cells import listed
from mtsig.steps.studied import Studied, read_studied
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies.power import PairPower, Power, PowerDesign, SizePower, difference_grid, power_study

__all__ = ["power", "power_tables"]

Rows = list[dict[str, Any]]


def power(job: StudyJob) -> StudyTables:
    """Simulate test sets of many sizes, and say what they can detect.

    Raises
    ------
    ConfigError
        If an option is impossible, a system is not there, documents are wanted and absent, or the metric has no
        direction.
    InputError
        If scores are missing.
    """
    studied = read_studied(job)
    return studied.signed(power_tables(studied, threads=job.threads))


def power_tables(studied: Studied, *, threads: int = 1) -> dict[str, pa.Table]:
    """The tables of a power study; errors as in `power`."""
    studied.refuse_undirected()
    settings = studied.settings
    units = studied.columns
    if settings["resample_unit"] == "document":
        if studied.documents is None:
            raise ConfigError("resample_unit: 'document' needs documents, and the test set has none. Use 'segment'.")
        units = sum_units(units, studied.documents)
    differences = _differences(settings["difference"], studied.scorer.scale)
    design = PowerDesign(
        sizes=settings["sizes"], target_power=settings["target_power"], n_simulations=settings["n_simulations"]
    )
    curves, plans = [], []
    for cell, asked in studied.cells():
        found = power_study(
            studied.scorer,
            units,
            n_segments=studied.columns.shape[1],
            pairs=studied.pairs(),
            design=design,
            settings=asked,
            threads=threads,
        )
        curve = list(_curve_rows(found, studied.systems, difference_grid(found, differences)))
        curves.append(studied.table("power_curve", curve, cell))
        plan = list(_planning_rows(found, studied.systems, differences, studied.keys["metric"]))
        plans.append(studied.table("planning", plan, cell))
    return studied.together({"power_curve": curves, "planning": plans})


def _differences(given: float | Sequence[float] | None, scale: float) -> list[float]:
    """The differences that are asked about; a hundredth of the metric's scale where none is given."""
    if given is None:
        return [scale / 100]
    found = listed(given)
    if any(difference <= 0 for difference in found):
        raise ConfigError(f"difference: {min(found)} is not a size of a difference; it must be above 0.")
    return [float(difference) for difference in found]


def _curve_rows(study: Power, systems: Sequence[str], grid: Sequence[float]) -> Iterator[dict[str, Any]]:
    for pair, difference in ((pair, difference) for pair in study.pairs for difference in grid):
        for size in pair.sizes:
            share, low, high = size.power(difference)
            yield {
                **_names(pair, systems),
                "difference": difference,
                "size": size.size,
                "n_units": size.n_units,
                "power": share,
                "power_low": low,
                "power_high": high,
                "extrapolated": size.extrapolated,
            }


def _planning_rows(
    study: Power, systems: Sequence[str], differences: Sequence[float], metric: str
) -> Iterator[dict[str, Any]]:
    target = study.design.target_power
    for pair in study.pairs:
        for difference in differences:
            needed = pair.segments_needed(difference, target)
            for size in pair.sizes:
                detectable = size.detectable_difference(target)
                observed = pair.power_at_observed(size)
                yield {
                    **_names(pair, systems),
                    "difference": difference,
                    "segments_needed": needed,
                    "size": size.size,
                    "detectable_difference": detectable,
                    "sentence": words.sentence(
                        size=size.size,
                        own=size.size == study.n_segments,
                        detectable=detectable,
                        difference=difference,
                        needed=needed,
                        least=pair.sizes[0].size,
                        target_power=target,
                        metric=metric,
                    ),
                    "target_power": target,
                    "delta": pair.delta,
                    "ci_low": pair.delta_low,
                    "ci_high": pair.delta_high,
                    "observed_power_low": observed[0] if observed else None,
                    "observed_power_high": observed[1] if observed else None,
                    "extrapolated": size.extrapolated,
                    "flags": _flags(size, detectable),
                }


def _names(pair: PairPower, systems: Sequence[str]) -> dict[str, str]:
    return {"system_a": systems[pair.pair[0]], "system_b": systems[pair.pair[1]]}


def _flags(size: SizePower, detectable: float | None) -> list[str]:
    found = ["few_units"] if size.n_units < FEW_UNITS else []
    return sorted([*found, *(["undefined"] if detectable is None else [])])
