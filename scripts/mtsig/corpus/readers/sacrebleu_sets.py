"""The format ``sacrebleu``: test sets that sacreBLEU knows, through its own cache and downloads.

Everything that touches sacreBLEU's data set classes stands in this module. Test sets from WMT21's ``wmt21/systems``
on bring the outputs of the shared task's systems with them.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtsig.corpus.alignment import check_counts
from mtsig.corpus.assembly import assemble, line_numbers
from mtsig.corpus.files import check_excluded, check_references, kept, named_files
from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.corpus.parts import wanted_columns
from mtsig.corpus.readers.text import read_part
from mtsig.corpus.readers.wmt_xml import reference_name
from mtsig.errors import ConfigError, InputError, MtsigError, UnavailableError

__all__ = ["read"]

#: Fields of a data set that are no outputs.
_DESCRIPTIVE = frozenset({"src", "docid", "origlang", "domain", "genre"})


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from sacreBLEU's cache, downloading it first where that is needed and possible.

    Parameters
    ----------
    testset
        Name of the test set here.
    settings
        ``testset`` (sacreBLEU's name), ``langpair``, and optionally ``references`` (names), ``systems`` (files with
        outputs of one's own), ``exclude``.

    Raises
    ------
    ConfigError
        If sacreBLEU does not know the test set or the language pair, or it has no outputs and none are given.
    UnavailableError
        If the data is neither in the cache nor can be downloaded.
    InputError
        If the files in the cache do not fit together.
    """
    prefix = f"testsets.{testset}."
    files = _fields(settings["testset"], settings["langpair"], prefix)
    references, standard = _references(files, settings["testset"], settings["langpair"])
    wanted = settings.get("references") or standard or list(references)
    check_references(wanted, references, holder=settings["testset"], langpair=settings["langpair"], prefix=prefix)
    outputs = {name: path for name, path in files.items() if name not in _DESCRIPTIVE and not name.startswith("ref")}
    own = named_files(settings["systems"], f"{prefix}systems") if settings.get("systems") is not None else {}
    both = next((name for name in kept(own, settings) if name in outputs), None)
    if both is not None:
        raise ConfigError(f"{prefix}systems: the test set has a system {both!r} of its own; name yours differently.")
    everything = {**outputs, **own}
    check_excluded(everything, settings, prefix)
    systems = {name: everything[name] for name in kept(everything, settings)}
    if not systems:
        raise ConfigError(
            f"{prefix}systems: sacreBLEU has no system outputs for {settings['testset']}; give the files of yours."
        )
    findings: list[Finding] = []
    source = read_part(files["src"], findings)
    labels = {key: read_part(files[name], findings) for name, key in _LABELS.items() if name in files}
    columns = {
        name: read_part(files[name], findings)
        for name in wanted_columns(settings)
        if name in files and name in _DESCRIPTIVE
    }
    reference_parts = {name: read_part(references[name], findings) for name in wanted}
    system_parts = {name: read_part(path, findings, name) for name, path in systems.items()}
    try:
        n_segments = check_counts(
            [source, *reference_parts.values(), *labels.values(), *columns.values(), *system_parts.values()]
        )
    except InputError as error:
        folder = files["src"].parent
        raise InputError(f"{error} If the file is from sacreBLEU's cache, delete {folder} and run again.") from None

    def label(key: str) -> list[str | None]:
        return [line or None for line in labels[key].lines] if key in labels else [None] * n_segments

    return assemble(
        testset,
        settings,
        segment_ids=line_numbers(n_segments),
        documents=label("document"),
        domains=label("domain"),
        sources=source.lines,
        references={name: each.lines for name, each in reference_parts.items()},
        systems={name: each.lines for name, each in system_parts.items()},
        findings=findings,
        columns={name: each.lines for name, each in columns.items()},
    )


#: sacreBLEU's fields for documents and domains.
_LABELS = {"docid": "document", "domain": "domain", "genre": "domain"}


def _fields(name: str, langpair: str, prefix: str) -> dict[str, Path]:
    """Field name to plain text file of a data set: src, ref..., docid, and one per system."""
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        known = ", ".join(sorted(DATASETS))
        raise ConfigError(f"{prefix}testset: sacreBLEU has no test set {name!r}. It has {known}.")
    # A copy, because what a data set does about downloads is changed below.
    dataset: Any = copy.copy(DATASETS[name])
    if langpair not in dataset.langpairs:
        raise ConfigError(
            f"{prefix}langpair: sacreBLEU's {name} has no {langpair}. It has {', '.join(dataset.langpairs)}."
        )
    processed = _processed(dataset, langpair)
    if "src" in processed and any(field.startswith("ref") for field in processed) and not _has_raw(dataset, langpair):
        return processed
    if _has_raw(dataset, langpair):
        # sacreBLEU asks for the archive although what it unpacks to is there.
        dataset.maybe_download = lambda: None
    folder = dataset._outdir
    try:
        fields = dataset.fieldnames(langpair)
        files = dataset.get_files(langpair)
    except MtsigError:
        raise
    except (Exception, SystemExit) as error:  # sacreBLEU raises what the network raises, and ends the program
        raise UnavailableError(
            f"{prefix}testset: {name} {langpair} is not in sacreBLEU's cache ({folder}) and cannot be put there "
            f'({type(error).__name__}: {error}). Run "sacrebleu -t {name} -l {langpair} --echo src" where there is a '
            "network and copy that folder here, or set SACREBLEU to where it is."
        ) from None
    return {field: Path(file) for field, file in zip(fields, files, strict=True)}


def _has_raw(dataset: Any, langpair: str) -> bool:
    """Whether the unpacked original files of a language pair are in the cache."""
    entry = dataset.langpairs[langpair]
    names = [entry["path"]] if isinstance(entry, dict) else [name.rpartition(":")[2] for name in entry]
    return all(os.path.exists(os.path.join(dataset._rawdir, name)) for name in names)  # noqa: PTH110, PTH118


def _processed(dataset: Any, langpair: str) -> dict[str, Path]:
    """The plain text files of a language pair that are already in the cache."""
    start = f"{dataset.name.replace('/', '_')}.{langpair}."
    folder = Path(dataset._outdir)
    return {path.name[len(start) :]: path for path in sorted(folder.glob("*")) if path.name.startswith(start)}


def _references(files: Mapping[str, Path], name: str, langpair: str) -> tuple[dict[str, Path], list[str]]:
    """All references by name, and the names of those that sacreBLEU scores against by default."""
    from sacrebleu.dataset import DATASETS

    def named(field: str) -> str:
        # Fields are called "ref" or "ref:A"; the colon is a hyphen in file names.
        return reference_name(field[len("ref") :].lstrip(":-"))

    references = {named(field): path for field, path in sorted(files.items()) if field.startswith("ref")}
    dataset = DATASETS[name]
    allowed = getattr(dataset, "_get_langpair_allowed_refs", None)
    chosen = [named(field) for field in allowed(langpair)] if allowed is not None else []
    return references, [each for each in chosen if each in references]
