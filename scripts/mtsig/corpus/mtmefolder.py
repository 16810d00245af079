"""The layout of mt-metrics-eval (version 2): where a folder has texts, human scores and scores of metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mtsig.corpus.files import Settings, check_excluded, check_references, checked_text, kept
from mtsig.errors import ConfigError

__all__ = ["MtmeLayout", "mtme_layout", "mtme_score_file", "mtme_score_files"]


@dataclass(frozen=True)
class MtmeLayout:
    """The files of one language pair in a folder of mt-metrics-eval, and the references that are not used."""

    source: Path
    references: dict[str, Path]
    documents: Path | None
    systems: dict[str, Path]
    unused: tuple[str, ...]


#: References that were made from system outputs; never used unless asked for.
_SYNTHETIC = frozenset({"synthetic_ref"})


def mtme_layout(settings: Settings, prefix: str = "") -> MtmeLayout:
    """Find the files of a test set of the format ``mtme``.

    Raises
    ------
    ConfigError
        If the folder lacks the language pair, a reference that is named, or any system.
    """
    root, langpair = Path(checked_text(settings["root"], f"{prefix}root")), settings["langpair"]
    source = root / "sources" / f"{langpair}.txt"
    if not source.is_file():
        there = sorted(path.stem for path in root.glob("sources/*.txt"))
        if not root.is_dir():
            raise ConfigError(
                f"{prefix}root: there is no folder {str(root)!r}. Relative paths start at the working folder."
            )
        has = f"It has {', '.join(there)}." if there else "It has no folder `sources` with texts."
        raise ConfigError(f"{prefix}root: {str(root)!r} does not hold {langpair} ({source} is missing). {has}")
    start = f"{langpair}."
    listed = {
        path.name[len(start) : -len(".txt")]: path
        for path in sorted(root.glob("references/*.txt"))
        if path.name.startswith(start)
    }
    wanted = settings.get("references")
    if wanted is None:
        wanted = [name for name in listed if name not in _SYNTHETIC]
    check_references(wanted, listed, holder=repr(str(root)), langpair=langpair, prefix=prefix)
    outputs = {path.name[: -len(".txt")]: path for path in sorted(root.glob(f"system-outputs/{langpair}/*.txt"))}
    check_excluded({**outputs, **listed}, settings, prefix)
    human = frozenset() if settings.get("include_references") else listed.keys()
    systems = {name: outputs[name] for name in kept(outputs.keys() - human, settings)}
    if not systems:
        raise ConfigError(f"{prefix}root: no system is left in {root / 'system-outputs' / langpair}.")
    documents = root / "documents" / f"{langpair}.docs"
    return MtmeLayout(
        source=source,
        references={name: listed[name] for name in wanted},
        documents=documents if documents.is_file() else None,
        systems=systems,
        unused=tuple(name for name in listed if name not in wanted),
    )


def mtme_score_files(root: Path, langpair: str) -> dict[str, Path]:
    """All files of segment scores in a folder of mt-metrics-eval: ``COMET-refA``, ``CometKiwi-src``, ``mqm``, ...

    Returns
    -------
    dict
        Name to file, human scores first; a metric's name has its ``-src`` or ``-refX``.
    """
    start, end = f"{langpair}.", ".seg.score"
    human = {
        path.name[len(start) : -len(end)]: path
        for path in sorted(root.glob(f"human-scores/*{end}"))
        if path.name.startswith(start)
    }
    automatic = {path.name[: -len(end)]: path for path in sorted(root.glob(f"metric-scores/{langpair}/*{end}"))}
    return {**human, **automatic}


def mtme_score_file(name: str, settings: Settings, prefix: str = "") -> Path:
    """The file with the scores called `name` for a test set of the format ``mtme``.

    Parameters
    ----------
    name
        A name as in `mtme_score_files`, or one without its last ``-src`` or ``-refX``. Where that fits several
        references, the one that the test set is scored against is taken.
    settings
        The test set's settings.

    Raises
    ------
    ConfigError
        If there is no such file, or several.
    """
    if settings.get("format") != "mtme":
        raise ConfigError(
            f"{prefix}name: {name!r} can be found for test sets of the format mtme only. Say with `metrics` which "
            "metrics each test set has."
        )
    root, langpair = Path(settings["root"]), settings["langpair"]
    files = mtme_score_files(root, langpair)
    if name in files:
        return files[name]
    fitting = [each for each in files if re.sub(r"-(src|ref[^-]*)$", "", each) == name]
    if len(fitting) > 1:
        own = [each for each in fitting if each.rpartition("-")[2] in mtme_layout(settings).references]
        fitting = own if len(own) == 1 else fitting
    if len(fitting) == 1:
        return files[fitting[0]]
    if fitting:
        raise ConfigError(f"{prefix}name: {name!r} may be {' or '.join(fitting)}; give one of these names.")
    raise ConfigError(
        f"{prefix}name: {str(root)!r} has no segment scores called {name!r} for {langpair}. It has "
        f"{', '.join(files) or 'none'}."
    )
