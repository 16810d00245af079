"""What jobs ask for: threads, memory (MB) and time (minutes). Clusters reserve it; local runs heed it where
``--resources mem_mb=...`` sets a limit.

It follows from what is known before any job has run, so that a group of jobs can ask for what its last job needs.
None of it is a reason to run again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

from mtsig.corpus import rawfiles
from mtsig.plan.plan import Plan, values_of

__all__ = ["Amounts"]

#: Files that hold about five times as many bytes of text.
_COMPRESSED = (".gz", ".xz", ".parquet")


class Amounts:
    """Amounts of threads, memory and time of a plan's jobs.

    Parameters
    ----------
    plan
        The plan.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._testset_size = cache(self._measured)
        # Megabytes of text, and of the tables that are put together to a report, once they are there; pairs of systems;
        # both with the number of draws; the square of the megabytes of one text; and ROC curves, each of all texts.
        self._quantities: dict[str, Callable[[Any, Any], float]] = {
            "text": lambda wildcards, files: self.text_size(wildcards),
            "tables": lambda wildcards, files: files.size_mb,
            "pairs": lambda wildcards, files: self.n_pairs(wildcards),
            "drawn_text": lambda wildcards, files: self.text_size(wildcards) * self.n_draws(wildcards),
            "drawn_pairs": lambda wildcards, files: self.n_pairs(wildcards) * self.n_draws(wildcards),
            "segment_pairs": lambda wildcards, files: (
                (self.text_size(wildcards) / (2 + self._n_systems(wildcards.testset))) ** 2
            ),
            "curves": lambda wildcards, files: self.text_size(wildcards) * self.n_curves(wildcards),
        }

    def grows(self, base: float, **factors: float) -> Callable[[Any, Any, int], int]:
        """An amount of memory or time: `base`, and each factor times its quantity; doubled at each new attempt.

        The amounts in the rules were measured on 20 systems x 3,000, 5 x 30,000 and 20 x 30,000 segments of 160 bytes.
        About half of each is reserve; 250 MB are for the two Snakemakes that start a job on a cluster.
        """

        def amount(wildcards: Any, input: Any, attempt: int) -> int:  # noqa: A002 - Snakemake's name
            grown = sum(factor * self._quantities[name](wildcards, input) for name, factor in factors.items())
            return int((base + grown) * 2 ** (attempt - 1))

        return amount

    def threads_for(self, wildcards: Any) -> int:
        """Threads of a job on a test set: a small one is done before a second thread could help."""
        return 1 if self.text_size(wildcards) < 10 else 4

    def text_size(self, wildcards: Any) -> float:
        """Megabytes of the texts that a job works on."""
        return sum(map(self._testset_size, self._testsets_of(wildcards)))

    def n_pairs(self, wildcards: Any) -> int:
        """Pairs of systems of a job."""
        options = self._plan.study_settings(wildcards) if hasattr(wildcards, "study") else {}
        if options.get("pairs"):
            return len(options["pairs"])
        systems = options.get("systems")
        return comb(len(systems) if systems else max(map(self._n_systems, self._testsets_of(wildcards))), 2)

    def n_draws(self, wildcards: Any) -> float:
        """Thousands of resamples, or ten thousands of trials, whichever is more; at least one."""
        if hasattr(wildcards, "study"):
            options: Mapping[str, Any] = self._plan.study_settings(wildcards)
        elif hasattr(wildcards, "testset"):
            options = self._plan.settings["testsets"][wildcards.testset]
        else:
            options = self._plan.settings
        resamples: list[float] = values_of(options.get("n_resamples", 0))
        draws: float = max(1000.0, options.get("n_trials", 0) / 10, *resamples)
        return draws / 1000

    def n_curves(self, wildcards: Any) -> int:
        """ROC curves of a system of a job's study."""
        options = self._plan.study_settings(wildcards)
        return len(values_of(options["gold"])) * len(options["qe"]) * len(options["cutoffs"])

    def _testsets_of(self, wildcards: Any) -> list[str]:
        """A job's test set, those of its study or suite, or all."""
        if hasattr(wildcards, "testset"):
            return [wildcards.testset]
        if hasattr(wildcards, "study"):
            return self._plan.study_testsets(wildcards.study)
        if hasattr(wildcards, "suite"):
            return self._plan.suite_testsets(wildcards.suite)
        return list(self._plan.settings["testsets"])

    def _measured(self, testset: str) -> float:
        """Megabytes of a test set's raw files; of texts made by rule, about those that they would have."""
        options = self._plan.settings["testsets"][testset]
        if options["format"] == "simulated":
            return float(7e-6 * options["segments"] * options["segment_length"] * (1 + len(options["systems"])))
        paths = map(Path, rawfiles.testset_files(options))
        return sum(path.stat().st_size * (5 if path.suffix in _COMPRESSED else 1) for path in paths) / 1e6

    def _n_systems(self, testset: str) -> int:
        """Systems of a test set; twenty where only its files tell."""
        known = rawfiles.known_systems(self._plan.settings["testsets"][testset])
        return 20 if known is None else len(known)
