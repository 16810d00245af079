"""Which files a configuration makes, and what the rules look up in the settings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from mtsig.corpus import rawfiles
from mtsig.errors import ConfigError
from mtsig.kinds import StudyKind, study_kind
from mtsig.metrics import catalog

__all__ = ["FIGURES", "RESAMPLING_OPTIONS", "TABLES", "Plan", "each", "values_of"]

#: The tables of a test set or suite, and the figures of a metric.
TABLES = {"table": ("systems", "pairs", "matrix"), "format": ("csv", "md", "tex", "json")}
FIGURES = {"figure": ("intervals", "matrix"), "format": ("svg", "png", "pdf")}

#: Options of intervals and tests.
RESAMPLING_OPTIONS = (
    "seed",
    "n_resamples",
    "max_resamples",
    "n_trials",
    "confidence_level",
    "alpha",
    "adjust",
    "resample_unit",
)
#: Options of a test set that change nothing in its texts. The seed of one is that of simulated texts.
_NOT_OF_TEXTS = ("metrics", "missing", *(name for name in RESAMPLING_OPTIONS if name != "seed"))


def each(*patterns: str, **values: str | Iterable[str]) -> list[str]:
    """Every pattern with every combination of values, the last one changing fastest.

    Examples
    --------
    >>> each("{testset}/{kind}", testset="a", kind=["x", "y"])
    ['a/x', 'a/y']
    """
    lists = [[value] if isinstance(value, str) else list(value) for value in values.values()]
    return [
        pattern.format(**dict(zip(values, combination, strict=True)))
        for pattern in patterns
        for combination in itertools.product(*lists)
    ]


def values_of(option: Any) -> list[Any]:
    """The values of an option that may be swept, or its only one.

    Examples
    --------
    >>> values_of("bleu"), values_of(["bleu", "chrf"])
    (['bleu'], ['bleu', 'chrf'])
    """
    return option if isinstance(option, list) else [option]


class Plan:
    """The settings, asked for what the rules need.

    Parameters
    ----------
    settings
        What `mtsig.config.load` returned.
    takes_part
        Whether a neural metric is computed on a test set in this run, by their names. Other metrics always are.

    Notes
    -----
    Methods that take `wildcards` are called by Snakemake, with an object that has the wildcards of a job as attributes.
    Paths begin with ``<results>``, for which Snakemake puts the results folder.
    """

    def __init__(self, settings: Mapping[str, Any], *, takes_part: Callable[[str, str], bool]) -> None:
        self.settings = settings
        self._neural_takes_part = takes_part

    # --- test sets and metrics

    def kind_of(self, metric: str) -> catalog.Kind:
        """The kind of a metric of the configuration."""
        return catalog.kind_of(metric, self.settings["metrics"][metric])

    def direction_of(self, metric: str) -> bool | None:
        """Whether more is better by a metric; None for no direction."""
        return catalog.direction_of(metric, self.settings["metrics"][metric])

    def configured_metrics(self, testset: str) -> list[str]:
        """All metrics of a test set."""
        return list(self.settings["testsets"][testset]["metrics"] or self.settings["metrics"])

    def metrics_of(self, testset: str, *, gpu: bool = False) -> list[str]:
        """The metrics of a test set: those that run anywhere, or the neural ones."""
        return [metric for metric in self.configured_metrics(testset) if self.kind_of(metric).gpu == gpu]

    def takes_part(self, testset: str, metric: str) -> bool:
        """Whether tables and pages of this run show a metric."""
        return not self.kind_of(metric).gpu or self._neural_takes_part(testset, metric)

    def shown_metrics(self, testset: str) -> list[str]:
        """The metrics that tables of a test set show."""
        return [metric for metric in self.configured_metrics(testset) if self.takes_part(testset, metric)]

    def shown(self, pattern: str, testset: str) -> list[str]:
        """The pattern for the metrics that tables of a test set show."""
        return each(pattern, testset=testset, metric=self.shown_metrics(testset))

    def testset_settings(self, wildcards: Any) -> dict[str, Any]:
        """What a test set is made of; how it is scored and resampled changes nothing in it."""
        options = self.settings["testsets"][wildcards.testset]
        return {key: value for key, value in options.items() if key not in _NOT_OF_TEXTS}

    def metric_testset_settings(self, wildcards: Any) -> dict[str, Any] | None:
        """The test set's settings, for metrics whose files lie beside its own."""
        return self.testset_settings(wildcards) if self.kind_of(wildcards.metric).reads_files else None

    def langpair(self, wildcards: Any) -> str:
        """The language pair of a test set."""
        pair: str = self.settings["testsets"][wildcards.testset]["langpair"]
        return pair

    def metric_settings(self, wildcards: Any) -> dict[str, Any]:
        """The options of a metric."""
        options: dict[str, Any] = self.settings["metrics"][wildcards.metric]
        return options

    def raw_texts(self, wildcards: Any) -> list[Path]:
        """The raw files of a test set."""
        return rawfiles.testset_files(self.settings["testsets"][wildcards.testset])

    def raw_scores(self, wildcards: Any) -> list[Path]:
        """The raw files of a metric whose scores come from files."""
        return rawfiles.metric_files(
            self.settings["metrics"][wildcards.metric], self.settings["testsets"][wildcards.testset]
        )

    def resampling_options(self, metric: str, testset: str | None = None) -> dict[str, Any]:
        """Options of intervals and tests by name: those of a test set, or, for suites, those of the top level."""
        own = {} if testset is None else self.settings["testsets"][testset]
        options = {
            name: self.settings[name] if name == "seed" else own.get(name, self.settings[name])
            for name in RESAMPLING_OPTIONS
        }
        return {**options, "equivalence_margin": self.settings["equivalence_margin"].get(metric)}

    def missing(self, *testsets: str) -> str:
        """What to do with missing texts and scores of a test set, or of several together."""
        options = {self.settings["testsets"][testset]["missing"] for testset in testsets}
        return "intersect" if "intersect" in options else "error"

    def per_testset(self, *patterns: str) -> list[str]:
        """The patterns for every test set."""
        return each(*patterns, testset=self.settings["testsets"])

    def per_metric(self, *patterns: str, gpu: bool = False, **others: Iterable[str]) -> list[str]:
        """The patterns for every test set and each of its metrics, and for all values of other wildcards."""
        return [
            path
            for testset in self.settings["testsets"]
            for path in each(*patterns, testset=testset, metric=self.metrics_of(testset, gpu=gpu), **others)
        ]

    def per_shown(self, pattern: str) -> list[str]:
        """The pattern for every test set and each of its metrics that takes part."""
        return [path for testset in self.settings["testsets"] for path in self.shown(pattern, testset)]

    # --- what each target stands for

    def text_files(self) -> list[str]:
        """Segments, hypotheses and findings of all test sets."""
        return self.per_testset(
            "<results>/{testset}/segments.parquet",
            "<results>/{testset}/hypotheses.parquet",
            "<results>/{testset}/lint.json",
        )

    def score_files(self, *, gpu: bool = False) -> list[str]:
        """Scores and what is resampled from them, of one of the two sorts of metrics."""
        return self.per_metric(
            "<results>/{testset}/scores/{metric}.parquet",
            "<results>/{testset}/systems/{metric}.parquet",
            "<results>/{testset}/pairs/{metric}.parquet",
            "<results>/{testset}/groups/{metric}.parquet",
            gpu=gpu,
        )

    def table_files(self) -> list[str]:
        """The tables of all test sets that show a metric."""
        testsets = [testset for testset in self.settings["testsets"] if self.shown_metrics(testset)]
        return each("<results>/{testset}/tables/{table}.{format}", testset=testsets, **TABLES)

    def figure_files(self, *, gpu: bool = False) -> list[str]:
        """The figures of all test sets, of one of the two sorts of metrics."""
        return self.per_metric("<results>/{testset}/figures/{metric}.{figure}.{format}", gpu=gpu, **FIGURES)

    def report_files(self) -> list[str]:
        """The page, what it shows of each test set, and the provenance."""
        return [
            *self.per_testset("<results>/{testset}/page.json"),
            "<results>/report.html",
            "<results>/provenance.json",
        ]

    def all_files(self) -> list[str]:
        """Every file of the configuration except those of neural metrics, so that a deleted one is made again."""
        return [
            *self.text_files(),
            *self.score_files(),
            *self.table_files(),
            *self.figure_files(),
            *self.suite_files(),
            *self.per_study(),
            *self.paper_files(gpu=False),
            *self.paper_study_files(),
            *self.report_files(),
        ]

    def neural_files(self) -> list[str]:
        """Every file of the neural metrics, and everything else, which shows them."""
        return [
            *self.score_files(gpu=True),
            *self.figure_files(gpu=True),
            *self.paper_files(),
            *self.all_files(),
        ]

    # --- suites

    def suite_testsets(self, suite: str) -> list[str]:
        """The test sets of a suite."""
        return list(self.settings["suites"][suite]["testsets"])

    def suite_metrics(self, suite: str, *, configured: bool = False) -> list[str]:
        """The metrics of a suite that take part, or all: those that it names, or those that all its test sets have."""
        of_testset = self.configured_metrics if configured else self.shown_metrics
        first, *others = map(of_testset, self.suite_testsets(suite))
        named = self.settings["suites"][suite]["metrics"] or first
        return [metric for metric in named if all(metric in other for other in others)]

    def of_suite(self, pattern: str) -> Callable[[Any], list[str]]:
        """The pattern for every test set of a job's suite."""
        return lambda wildcards: each(pattern, testset=self.suite_testsets(wildcards.suite), metric=wildcards.metric)

    def shown_of_suite(self, pattern: str, suite: str) -> list[str]:
        """The pattern for the metrics that tables of a suite show."""
        return each(pattern, suite=suite, metric=self.suite_metrics(suite))

    def per_suite(self, *patterns: str, **others: Iterable[str]) -> list[str]:
        """The patterns for every suite and each of its metrics, and for all values of other wildcards."""
        return [
            path
            for suite in self.settings["suites"]
            for path in each(*patterns, suite=suite, metric=self.suite_metrics(suite), **others)
        ]

    def suite_files(self) -> list[str]:
        """The files of all suites."""
        suites = [suite for suite in self.settings["suites"] if self.suite_metrics(suite)]
        return [
            *self.per_suite(
                "<results>/suites/{suite}/systems/{metric}.parquet", "<results>/suites/{suite}/pairs/{metric}.parquet"
            ),
            *each("<results>/suites/{suite}/tables/{table}.{format}", suite=suites, **TABLES),
            *self.per_suite("<results>/suites/{suite}/figures/{metric}.{figure}.{format}", **FIGURES),
        ]

    # --- studies

    def study_settings(self, wildcards: Any) -> dict[str, Any]:
        """The options of a study."""
        options: dict[str, Any] = self.settings["studies"][wildcards.study]
        return options

    def study_testsets(self, study: str) -> list[str]:
        """The test sets of a study."""
        return values_of(self.settings["studies"][study]["testset"])

    def study_kind(self, study: str) -> StudyKind:
        """The declaration of a study's kind."""
        return study_kind(self.settings["studies"][study]["kind"])

    def study_metrics(self, study: str, testset: str) -> list[str]:
        """The metrics whose scores a study needs on a test set, each once."""
        options = self.settings["studies"][study]
        metrics: dict[str, None] = {}
        for name in self.study_kind(study).metrics:
            # Where none are named, those that tell better from worse.
            chosen = options[name]
            if chosen is None:
                chosen = [metric for metric in self.metrics_of(testset) if self.direction_of(metric) is not None]
            metrics |= dict.fromkeys(values_of(chosen))
        return list(metrics)

    def study_jobs(self, study: str) -> list[tuple[str, list[str]]]:
        """The jobs of a study that take part: test set and metrics, one metric each for kinds that take them apart."""
        jobs = []
        for testset in self.study_testsets(study):
            metrics = self.study_metrics(study, testset)
            groups = [[metric] for metric in metrics] if self.study_kind(study).per_metric else [metrics]
            jobs += [(testset, group) for group in groups if all(self.takes_part(testset, name) for name in group)]
        return jobs

    def study_takes_part(self, study: str) -> bool:
        """Whether a study can be made: with some of its jobs, or, where each does a whole test set, with all."""
        jobs = self.study_jobs(study)
        return bool(jobs) and (self.study_kind(study).per_metric or len(jobs) == len(self.study_testsets(study)))

    def job_metrics(self, wildcards: Any) -> dict[str, Any]:
        """Metric to its options, for the metrics of a study's job."""
        own = getattr(wildcards, "metric", None)
        names = [own] if own else self.study_metrics(wildcards.study, wildcards.testset)
        return {name: self.settings["metrics"][name] for name in names}

    def study_inputs(self, wildcards: Any) -> dict[str, Any]:
        """What a job of a study needs, by the names that its step has for it."""
        testset, metrics = wildcards.testset, self.job_metrics(wildcards)
        needed: dict[str, Any] = {
            "segments": f"<results>/{testset}/segments.parquet",
            "scores": each("<results>/{testset}/scores/{metric}.parquet", testset=testset, metric=metrics),
        }
        others: dict[str, Callable[[], Any]] = {
            "hypotheses": lambda: f"<results>/{testset}/hypotheses.parquet",
            "systems": lambda: each("<results>/{testset}/systems/{metric}.parquet", testset=testset, metric=metrics),
            "truth": lambda: self._true_scores(wildcards),
        }
        return needed | {name: others[name]() for name in self.study_kind(wildcards.study).inputs}

    def _true_scores(self, wildcards: Any) -> list[str]:
        """The generator's true scores, where a test set is simulated and the study wants them; else nothing."""
        chosen = self.study_settings(wildcards)["truth"]
        kind = self.kind_of(wildcards.metric)
        known = self.settings["testsets"][wildcards.testset]["format"] == "simulated" and not (
            kind.gpu or kind.reads_files
        )
        if chosen == "generator" and not known:
            raise ConfigError(
                f"studies.{wildcards.study}.truth: generator needs a simulated test set and a metric that is computed "
                f"from texts; {wildcards.testset} with {wildcards.metric} is not. Use auto or testset."
            )
        return (
            [f"<results>/{wildcards.testset}/truth/{wildcards.metric}.parquet"] if known and chosen != "testset" else []
        )

    def study_modules(self, step: str, study: str) -> list[str]:
        """The modules that the declaration of a study's kind names for the step ``study`` or ``study_report``."""
        kind = self.study_kind(study)
        named = [kind.step] if step == "study" else [kind.report, *([kind.drawing] if kind.drawing else [])]
        return [f"mtsig.kinds.{self.settings['studies'][study]['kind']}", *named]

    @staticmethod
    def study_part(kind: StudyKind) -> str:
        """Pattern of the tables that a job of a study of some kind writes."""
        of_metric = "{metric}/" * kind.per_metric
        return f"<results>/studies/{{study}}/parts/{{testset}}/{of_metric}{{table}}.parquet"

    def study_parts(self, wildcards: Any) -> list[str]:
        """The tables of all jobs of a study."""
        kind = self.study_kind(wildcards.study)
        return [
            self.study_part(kind).format(study=wildcards.study, testset=testset, metric=metrics[0], table=table.name)
            for testset, metrics in self.study_jobs(wildcards.study)
            for table in kind.tables
        ]

    def shown_options(self, wildcards: Any) -> dict[str, Any]:
        """The options of a study that its tables for reading and figures depend on."""
        options = self.study_settings(wildcards)
        return {name: options[name] for name in self.study_kind(wildcards.study).shown_options}

    def study_caption(self, wildcards: Any) -> str:
        """Caption of a study's figures."""
        return self.study_kind(wildcards.study).about.format(**self.shown_options(wildcards))

    def per_study(self) -> list[str]:
        """The files of all studies that take part."""
        return [
            f"<results>/studies/{study}/{name}"
            for study, options in self.settings["studies"].items()
            if self.study_takes_part(study)
            for name in study_kind(options["kind"]).files()
        ]

    # --- the paper

    @cached_property
    def paper_results(self) -> list[tuple[str, str]]:
        """What the paper shows: (folder of a test set or suite, metric), each once.

        Raises
        ------
        ConfigError
            If the configuration does not compute it.
        """
        results: dict[tuple[str, str], None] = {}
        for name, options in self.settings["paper"]["tables"].items():
            places = [*options["testsets"], *(f"suites/{suite}" for suite in options["suites"])]
            cells = [(place, metric) for place in places for metric in options["metrics"] if self._has(place, metric)]
            if not cells:
                raise ConfigError(
                    f"paper.tables.{name}: none of its metrics is computed on any of its test sets and suites."
                )
            results |= dict.fromkeys(cells)
        for name, options in self.settings["paper"]["figures"].items():
            place = options["testset"] or f"suites/{options['suite']}"
            if not self._has(place, options["metric"]):
                raise ConfigError(f"paper.figures.{name}.metric: {options['metric']} is not computed on {place}.")
            results[place, options["metric"]] = None
        return list(results)

    def _has(self, place: str, metric: str) -> bool:
        """Whether the configuration computes a metric on a test set or suite."""
        if place.startswith("suites/"):
            return metric in self.suite_metrics(place.removeprefix("suites/"), configured=True)
        return metric in self.configured_metrics(place)

    def paper_inputs(self, kind: str) -> list[str]:
        """The tables of one kind (systems, pairs) that the paper shows."""
        return [f"<results>/{place}/{kind}/{metric}.parquet" for place, metric in self.paper_results]

    def paper_files(self, *, gpu: bool = True) -> list[str]:
        """The files of the paper; without those of neural metrics, none if it shows any."""
        shown = self.paper_results
        if not shown or (not gpu and any(self.kind_of(metric).gpu for _, metric in shown)):
            return []
        tables, figures = self.settings["paper"]["tables"], self.settings["paper"]["figures"]
        return [
            *each("<results>/paper/{table}.{format}", table=tables, format=("csv", "md", "tex", "table.tex")),
            *each("<results>/paper/{figure}.{format}", figure=figures, format=("pdf", "svg")),
            "<results>/paper/methods.md",
            "<results>/paper/methods.tex",
        ]

    @cached_property
    def paper_studies(self) -> dict[str, dict[str, Any]]:
        """What the paper shows of studies: name to study, and table or figure.

        Raises
        ------
        ConfigError
            If the study has no such table or figure, or another table or figure of the paper has the name.
        """
        paper = self.settings["paper"]
        for name, entry in paper["studies"].items():
            place = f"paper.studies.{name}"
            kind = self.study_kind(entry["study"])
            for key, parts in (("table", kind.read), ("figure", kind.figures)):
                known = [part.name for part in parts]
                if entry[key] is not None and entry[key] not in known:
                    raise ConfigError(
                        f"{place}.{key}: study {entry['study']} has no {key} {entry[key]!r}. It has {', '.join(known)}."
                    )
            if name in paper["tables"] or name in paper["figures"]:
                raise ConfigError(f"{place}: another part of the paper has this name. Call one of them otherwise.")
        return dict(paper["studies"])

    def paper_study_inputs(self) -> list[str]:
        """The tables of the studies that the paper shows."""
        tables: dict[str, None] = {}
        for entry in self.paper_studies.values():
            kind = self.study_kind(entry["study"])
            figures = [figure for figure in kind.figures if figure.name == entry["figure"]]
            names = [entry["table"]] if entry["table"] else figures[0].tables
            tables |= dict.fromkeys(
                each("<results>/studies/{study}/{table}.parquet", study=entry["study"], table=names)
            )
        return list(tables)

    def paper_study_files(self) -> list[str]:
        """The files of the paper that show studies which take part."""
        formats = {"table": ("csv", "md", "tex", "standalone.tex"), "figure": ("pdf", "svg")}
        if not all(self.study_takes_part(entry["study"]) for entry in self.paper_studies.values()):
            return []
        return [
            path
            for name, entry in self.paper_studies.items()
            for path in each(
                "<results>/paper/{name}.{format}", name=name, format=formats["table" if entry["table"] else "figure"]
            )
        ]

    def paper_study_options(self) -> dict[str, dict[str, Any]]:
        """Kind of each study that the paper shows, and the options that its tables and figures depend on."""
        studies = {entry["study"] for entry in self.paper_studies.values()}
        options = {study: self.settings["studies"][study] for study in sorted(studies)}
        return {
            study: {name: its[name] for name in ("kind", *self.study_kind(study).shown_options)}
            for study, its in options.items()
        }
