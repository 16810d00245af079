"""Whether the systems that suites, studies and papers name are there, as far as that is known before any job."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig.corpus.rawfiles import known_systems, testset_files
from mtsig.errors import ConfigError, suggestion
from mtsig.metrics import catalog
from mtsig.resampling.adjust import check_resamples

__all__ = ["NamedSystems"]

#: Bytes of tables and XML files that are read for the names in them; what is larger is left to the jobs.
_MOST_READ = 4_000_000


class NamedSystems:
    """The systems of all test sets, as far as they are known, and what is wrong with names of systems.

    Parameters
    ----------
    settings
        What `mtsig.config.load` returned.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._known: dict[str, list[str] | None] = {}
        self._left_to_read = _MOST_READ

    def check(self) -> None:
        """Check the names in suites, studies and tables of the paper.

        Raises
        ------
        ConfigError
            If a system is named that is not there, or a suite averages over test sets with different systems.
        InputError
            If a file that tells the systems' names cannot be used as it is.
        """
        for suite in self._settings["suites"]:
            self._check_suite(suite)
        for study in self._settings["studies"]:
            self._check_study(study)
        for table in self._settings["paper"]["tables"]:
            self._check_table(table)

    def _of(self, testset: str) -> list[str] | None:
        """The systems of a test set, or None where only large files tell."""
        if testset not in self._known:
            self._known[testset] = self._looked_up(testset)
        return self._known[testset]

    def _looked_up(self, testset: str) -> list[str] | None:
        options, prefix = self._settings["testsets"][testset], f"testsets.{testset}."
        names = known_systems(options, prefix=prefix)
        # Outputs that sacreBLEU has are not asked for: they may have to be fetched.
        if names is not None or options["format"] == "sacrebleu":
            return names
        self._left_to_read -= sum(path.stat().st_size for path in map(Path, testset_files(options, prefix=prefix)))
        if self._left_to_read < 0:
            return None
        # Readers bring numpy along, and are wanted for such files only.
        from mtsig.corpus.reading import read

        return sorted(read(testset, options).systems)

    def _check_suite(self, suite: str) -> None:
        key = f"suites.{suite}.testsets"
        testsets = self._settings["suites"][suite]["testsets"]
        systems = {testset: names for testset in testsets if (names := self._of(testset)) is not None}
        refuses = all(self._settings["testsets"][testset]["missing"] == "error" for testset in testsets)
        for one, other in itertools.permutations(systems, 2):
            absent = [name for name in systems[one] if name not in systems[other]]
            if absent and refuses:
                raise ConfigError(
                    f"{key}: the system {absent[0]!r} of {one} is missing in {other}. "
                    f"{suggestion(absent[0], systems[other])} Give all test sets of a suite the same systems "
                    "(`exclude` leaves some out), or set `missing: intersect`."
                )
        common = set.intersection(*map(set, systems.values())) if len(systems) == len(testsets) else None
        if common is not None and not common:
            raise ConfigError(f"{key}: no system is in all of {', '.join(testsets)}, so there is nothing to average.")
        if common is not None and any(
            catalog.direction_of(name, self._settings["metrics"][name]) is not None
            for name in self._settings["suites"][suite]["metrics"] or self._settings["metrics"]
        ):
            keys = ("adjust", "n_resamples", "alpha")
            check_resamples(**{key: self._settings[key] for key in keys}, n_pairs=math.comb(len(common), 2))

    def _check_study(self, study: str) -> None:
        options, prefix = self._settings["studies"][study], f"studies.{study}."
        testsets = options["testset"]
        for testset in [testsets] if isinstance(testsets, str) else testsets:
            there = self._of(testset)
            if there is None:
                continue
            _check_names(f"{prefix}systems", options.get("systems"), there, f" in {testset}")
            chosen = options.get("systems") or there
            for pair in options.get("pairs") or ():
                _check_names(f"{prefix}pairs", pair, chosen, f" in {testset}" if chosen is there else "")
                if pair[0] == pair[1]:
                    raise ConfigError(f"{prefix}pairs: {list(pair)} is no pair; name two systems.")

    def _check_table(self, table: str) -> None:
        options, prefix = self._settings["paper"]["tables"][table], f"paper.tables.{table}."
        members = [self._settings["suites"][suite]["testsets"] for suite in options["suites"]]
        systems = [self._of(testset) for testset in (*options["testsets"], *itertools.chain(*members))]
        there = sorted({name for names in systems if names is not None for name in names})
        if None in systems:
            return
        _check_names(f"{prefix}systems", options["systems"], there, " in these results")
        shown = options["systems"] or there
        baseline = options["baseline"]
        _check_names(f"{prefix}baseline", () if baseline is None else [baseline], shown, " in the table")


def _check_names(key: str, names: Iterable[str] | None, there: Sequence[str], place: str) -> None:
    for name in names or ():
        if name not in there:
            raise ConfigError(f"{key}: there is no system {name!r}{place}. {suggestion(name, there)}")
