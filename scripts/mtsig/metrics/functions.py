"""Scores by the user's own Python: the kind ``function``, and functions of whole corpora for Python callers.

A function says by the names of its parameters what it is given. One that scores segments makes a metric that is a mean.
An object with ``names``, ``statistics`` (of a segment) and ``score`` (of their sums) makes one that is not, like BLEU.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import __version__
from mtsig.corpus.files import function_file
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError, InputError
from mtsig.kernels.formulas import Formula
from mtsig.metrics.base import FloatArray, Mean, Metric
from mtsig.metrics.catalog import given_options

__all__ = ["CorpusFunction", "FunctionMetric", "corpus_function", "create"]

#: What functions of segments and of whole corpora may ask for.
OF_SEGMENTS = ("hypothesis", "reference", "references", "source")
OF_CORPORA = ("hypotheses", "reference", "references", "sources")

_LARGEST = 1 << 30
# Sums of larger numbers would not be finite.
_LARGEST_NUMBER = 1e100


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """A metric that a Python function computes.

    Attributes
    ----------
    function
        ``module:name``.
    digest
        Of the source file.
    compute
        From the parts of a segment to its statistics.
    aggregate
        From summed statistics to a score; None where the score is the mean of the one statistic.
    wants
        Names of the function's parameters.
    """

    kind: str = field(default="function", init=False)
    scale: float = field(default=1.0, init=False)
    function: str
    digest: str
    compute: Callable[..., Any] = field(repr=False)
    aggregate: Callable[[Sequence[float]], float] | None = field(default=None, repr=False)
    wants: tuple[str, ...] = ()

    def signature(self, n_references: int | str) -> str:
        """Name and source of the function, and the number of references."""
        return f"function:{self.function}|nrefs:{n_references}|sha256:{self.digest}|version:mtsig-{__version__}"

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """What the function gives for every system and segment.

        Raises
        ------
        InputError
            If the function fails or gives anything but numbers, naming system and segment.
        """
        del threads  # nobody knows whether the function is made for them
        references = [
            [text for text in texts if text is not None] for texts in zip(*evaluation.references.values(), strict=True)
        ] or [[] for _ in evaluation.segment_ids]
        return {
            system: np.array(
                [
                    self._segment(hypothesis, texts, source, f"system {system!r}, segment {name!r}")
                    for hypothesis, texts, source, name in zip(
                        hypotheses, references, evaluation.sources, evaluation.segment_ids, strict=True
                    )
                ],
                dtype=np.float64,
            ).reshape(-1, len(self.statistic_names))
            for system, hypotheses in evaluation.systems.items()
        }

    def _segment(self, hypothesis: str | None, references: list[str], source: str | None, place: str) -> list[float]:
        parts = {
            "hypothesis": hypothesis,
            "reference": references[0] if references else None,
            "references": references or None,
            "source": source,
        }
        if hypothesis is None or any(parts[name] is None for name in self.wants):
            return [math.nan] * len(self.statistic_names)
        found = _called(self.function, self.compute, {name: parts[name] for name in self.wants}, place)
        values = [found] if self.aggregate is None else found
        try:
            numbers = [math.nan if value is None else float(value) for value in values]
        except (TypeError, ValueError, OverflowError):
            numbers = []
        if len(numbers) != len(self.statistic_names) or any(abs(number) > _LARGEST_NUMBER for number in numbers):
            wanted = "a number" if self.aggregate is None else f"{len(self.statistic_names)} numbers"
            raise InputError(f"{self.function}, {place}: gave {str(found)[:60]}, but {wanted} is needed.")
        return [math.nan] * len(numbers) if any(map(math.isnan, numbers)) else numbers

    def columns(self, statistics: FloatArray) -> FloatArray:
        """The statistics; for means their number, too."""
        return Mean().columns(statistics) if self.aggregate is None else statistics

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Scores of single segments."""
        return self.corpus_scores(self.columns(statistics))

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """Scores from sums."""
        sums = np.asarray(sums, dtype=np.float64)
        if self.aggregate is None:
            return Mean().corpus_scores(sums)
        rows = sums.reshape(-1, sums.shape[-1])
        scores = [
            math.nan if np.isnan(row).any() else _number(self.function, self.aggregate, row.tolist()) for row in rows
        ]
        return np.array(scores).reshape(sums.shape[:-1])

    @property
    def formula(self) -> Formula | None:
        """A quotient of two sums for means; else only the function knows."""
        return Mean().formula if self.aggregate is None else None


@dataclass(frozen=True, kw_only=True)
class CorpusFunction:
    """A function of whole corpora, for `mtsig.resampling.analysis.analyse`; made by `corpus_function`.

    No sum of statistics is enough for it, so the sums that resampling makes count how often each segment was drawn, and
    of which system, and the function is called for each.
    """

    function: Callable[..., float]
    evaluation: EvaluationSet
    higher_is_better: bool | None
    scale: float = 1.0
    statistic_names: tuple[str, ...] = ("segment", "system")
    formula: None = None
    sacrebleu_formula: None = None

    def columns(self, statistics: FloatArray, /) -> FloatArray:
        """For every segment a row that counts it once and says of which system it is."""
        present = ~np.isnan(statistics[:, 0])
        n_segments = self.evaluation.n_segments
        rows = np.zeros((len(statistics), 2 * n_segments))
        positions = np.flatnonzero(present)
        segments = statistics[present, 0].astype(np.int64)
        rows[positions, segments] = 1
        rows[positions, n_segments + segments] = statistics[present, 1]
        rows[~present] = np.nan
        return rows

    def corpus_scores(self, sums: NDArray[Any], /) -> FloatArray:
        """The function's scores of what was drawn."""
        sums = np.asarray(sums, dtype=np.float64)
        rows = sums.reshape(-1, sums.shape[-1])
        return np.array([self._score(row) for row in rows]).reshape(sums.shape[:-1])

    def _score(self, row: FloatArray) -> float:
        counts, owners = np.split(row, 2)
        drawn = np.flatnonzero(counts > 0)
        if np.isnan(row).any() or not len(drawn):
            return math.nan
        names = sorted(self.evaluation.systems)
        segments = np.repeat(drawn, counts[drawn].astype(np.int64)).tolist()
        owner = dict(zip(drawn.tolist(), np.rint(owners[drawn] / counts[drawn]).astype(int).tolist(), strict=True))
        references = list(self.evaluation.references.values())
        parts: dict[str, Any] = {
            "hypotheses": [self.evaluation.systems[names[owner[segment]]][segment] for segment in segments],
            "sources": [self.evaluation.sources[segment] for segment in segments],
            "references": [[texts[segment] for texts in references] for segment in segments],
            "reference": [references[0][segment] for segment in segments] if references else None,
        }
        name = getattr(self.function, "__name__", "function")
        wants = _parameters(self.function, OF_CORPORA, name)
        return _number(name, self.function, **{want: parts[want] for want in wants})

    def sacrebleu_scores(self, sums: NDArray[Any], /) -> None:
        """SacreBLEU has no such metric."""
        del sums

    def sacrebleu_doubles(self, sums: NDArray[Any], /) -> NDArray[np.bool_]:
        """Does not arise."""
        return np.ones(np.shape(sums)[:-1], dtype=bool)


def corpus_function(
    function: Callable[..., float],
    evaluation: EvaluationSet,
    *,
    higher_is_better: bool | None = True,
    scale: float = 1.0,
) -> tuple[dict[str, FloatArray], CorpusFunction]:
    """Make any score of a whole corpus resampled: Koehn's Score(system, reference).

    The function is called for every resample and swap of every system, so choose their numbers accordingly, and with
    ``max_resamples=0`` no pair is resampled on.

    Parameters
    ----------
    function
        Its parameters are called ``hypotheses``, ``reference`` (of each segment the first), ``references`` (of each
        segment all) and ``sources``, as far as it needs them; each is a list with one entry per segment drawn.
    evaluation
        The texts.
    higher_is_better
        The direction.
    scale
        The size of a good score: differences within 1e-9 of it are ties.

    Returns
    -------
    statistics, scorer
        The first two arguments of `mtsig.resampling.analysis.analyse`.

    Raises
    ------
    ConfigError
        If the function asks for anything else, or there are too many segments.

    Examples
    --------
    >>> from mtsig.resampling.analysis import analyse
    >>> from mtsig.resampling.settings import ResamplingSettings
    >>> def longest(hypotheses, reference):
    ...     return max(len(set(h.split()) & set(r.split())) for h, r in zip(hypotheses, reference))
    >>> texts = tuple(f"w{i} a b" for i in range(40))
    >>> systems = {"A": texts, "B": tuple("a" for _ in texts)}
    >>> nothing = (None,) * 40
    >>> evaluation = EvaluationSet(
    ...     "t", "x-y", tuple(map(str, range(40))), nothing, nothing, nothing, {"ref": texts}, systems
    ... )
    >>> statistics, scorer = corpus_function(longest, evaluation)
    >>> settings = ResamplingSettings(seed=1, n_resamples=100, n_trials=50, max_resamples=0)
    >>> pair = analyse(statistics, scorer, settings).pairs[0]
    >>> pair.score_a, pair.score_b, pair.wins_a, pair.koehn_verdict
    (3.0, 1.0, 100, 'a')
    """
    _parameters(function, OF_CORPORA, getattr(function, "__name__", "function"))
    n_segments = evaluation.n_segments
    if len(evaluation.systems) * n_segments * 2 * n_segments * 8 > _LARGEST:
        raise ConfigError(
            f"{n_segments} segments of {len(evaluation.systems)} systems are too many for a function of whole corpora. "
            "Give an object with `names`, `statistics` and `score`, whose statistics are summed, or fewer segments."
        )
    statistics = {}
    for number, system in enumerate(sorted(evaluation.systems)):
        rows = np.column_stack([np.arange(n_segments), np.full(n_segments, number)]).astype(np.float64)
        rows[[text is None for text in evaluation.systems[system]]] = np.nan
        statistics[system] = rows
    return statistics, CorpusFunction(
        function=function, evaluation=evaluation, higher_is_better=higher_is_better, scale=scale
    )


def _called(name: str, function: Callable[..., Any], parts: Mapping[str, Any], place: str) -> Any:
    try:
        return function(**parts)
    except (Exception, SystemExit) as error:
        raise InputError(f"{name}, {place}: fails with {type(error).__name__}: {error}") from error


def _number(name: str, function: Callable[..., Any], *sums: Sequence[float], **parts: Any) -> float:
    """A score; NaN where the function gives None."""
    try:
        value = function(*sums, **parts)
        number = math.nan if value is None else float(value)
    except (Exception, SystemExit) as error:
        raise InputError(f"{name}: fails with {type(error).__name__}: {error}") from error
    if math.isinf(number):
        raise InputError(f"{name}: gave an infinite score.")
    return number


def _parameters(function: Callable[..., Any], known: Sequence[str], name: str) -> tuple[str, ...]:
    """The names of a function's parameters, of which each must be something that it can be given."""
    if not callable(function):
        raise ConfigError(f"{name}: is {type(function).__name__}, which cannot be called.")
    try:
        parameters = tuple(
            each.name for each in inspect.signature(function).parameters.values() if each.default is each.empty
        )
    except (TypeError, ValueError):
        raise ConfigError(f"{name}: its parameters cannot be told. Wrap it in a function of your own.") from None
    strange = next((each for each in parameters if each not in known), None)
    if strange is not None or not parameters:
        what = f"has the parameter {strange!r}" if strange else "has no parameters"
        raise ConfigError(f"{name}: {what}. Name its parameters as what it needs of {', '.join(known)}.")
    return parameters


def create(
    key: str, settings: Mapping[str, Any], langpair: str, testset_settings: Mapping[str, Any] | None = None
) -> FunctionMetric:
    """Make the metric that the configuration calls `key`; see `mtsig.metrics.create_metric`."""
    del langpair, testset_settings
    prefix = f"metrics.{key}."
    options = given_options(key, settings, ["function", "higher_is_better"])
    if not isinstance(options.get("higher_is_better"), bool):
        raise ConfigError(f"{prefix}higher_is_better: is missing. Say true or false: only you know the direction.")
    function = str(options.get("function", ""))
    path = function_file(function, prefix)
    module_name, _, name = function.partition(":")
    found: Any = _module(module_name, path, prefix)
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise ConfigError(f"{prefix}function: {path} defines no {name!r}.")
    summed = all(hasattr(found, each) for each in ("names", "statistics", "score"))
    compute = found.statistics if summed else found
    return FunctionMetric(
        key=key,
        higher_is_better=options["higher_is_better"],
        statistic_names=tuple(map(str, found.names)) if summed else ("value",),
        function=function,
        digest=hashlib.sha256(path.read_bytes()).hexdigest()[:16],
        compute=compute,
        aggregate=found.score if summed else None,
        wants=_parameters(compute, OF_SEGMENTS, f"{prefix}function: {function}"),
    )


def _module(name: str, path: Path, prefix: str) -> Any:
    """The module, from the very file whose contents count."""
    here = str(Path.cwd())
    sys.path.insert(0, here)  # for what it imports itself
    try:
        loaded = sys.modules.get(name)
        if loaded is not None and getattr(loaded, "__file__", None) and Path(str(loaded.__file__)).samefile(path):
            return loaded
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"{prefix}function: {path} cannot be imported ({type(error).__name__}: {error}).") from error
    finally:
        sys.path.remove(here)
    return module
