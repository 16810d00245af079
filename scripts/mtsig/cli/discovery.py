"""What the files of a folder are, by their names and numbers of lines: the guesses of ``mtsig init``."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mtsig.corpus.files import file_stem, short_names, uncompressed_name
from mtsig.corpus.readers.wmt_sgm import SETS, TextSet, parse
from mtsig.corpus.readers.wmt_xml import reference_name
from mtsig.corpus.textfiles import COMPRESSED, read_lines
from mtsig.errors import InputError

__all__ = ["TestSet", "discover"]

_WORDS = {
    "source": {"source", "sources", "src", "input"},
    "references": {"reference", "references", "ref", "refs", "gold"},
    "documents": {"document", "documents", "doc", "docs", "docid", "docids"},
    "systems": {"system", "systems", "output", "outputs", "hyp", "hyps", "hypothesis", "hypotheses", "mt"},
}
#: Words of two or three letters that are no languages.
_KNOWN = {"gz", "xz", "txt", "new", "old"}.union(*_WORDS.values())
#: newstest2021.en-de.hyp.Online-A.de
_WMT_NAME = re.compile(
    r"(?P<testset>[^.]+)\.(?P<langpair>[a-z]{2,3}-[a-z]{2,3})\.(?P<role>src|ref|hyp)\.(?P<rest>.+?)(\.gz|\.xz)?"
)
_ONE_OF_SEVERAL = re.compile(r"ref[a-z0-9]")
#: Endings of files that hold no translation, whatever they are called.
_OTHER = "json jsonl yaml yml toml md rst py ipynb sh log csv parquet xml html svg png jpg pdf zip tar tgz score"
_OTHER_SUFFIXES = frozenset(f".{ending}" for ending in _OTHER.split())
_DEEPEST = 3
_SIDES = ("source", "target")


@dataclass(frozen=True)
class TestSet:
    """A test set that was found.

    Attributes
    ----------
    name
        Its key in the configuration.
    settings
        Its settings there.
    remarks
        What was assumed, by the setting it concerns.
    notes
        What else the user should know.
    """

    name: str
    settings: dict[str, Any]
    remarks: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def discover(
    folder: Path, *, langpair: str | None = None, source: Path | None = None, references: Sequence[Path] = ()
) -> list[TestSet]:
    """Find out what a folder holds: one of mt-metrics-eval or WMT, reports of mt-eval-harness, SGML, or plain texts.

    Parameters
    ----------
    folder
        The folder.
    langpair, source, references
        What the user said, which needs no guess.

    Raises
    ------
    InputError
        If nothing was recognised, or two files could be the same thing.
    """
    name = _key(folder.resolve().name)
    # WMT's repositories keep texts in a folder of their own; mt-metrics-eval has a folder for every test set.
    for place in (folder, folder / "txt"):
        if _is_collection(place):
            return _collection(place, name)
    inside = [path for path in sorted(folder.iterdir()) if _is_collection(path)]
    if inside:
        return [testset for path in inside for testset in _collection(path, _key(path.name))]
    texts = _text_files(folder)
    if not texts and (reports := _reports(folder)):
        settings = {"format": "arena", "langpair": langpair or "und-und", "reports": [str(path) for path in reports]}
        remarks = {"reports": f"{len(reports)} reports of mt-eval-harness", **_unknown_langpair(langpair)}
        return [TestSet(name, settings, remarks)]
    sgm = [path for path in texts if uncompressed_name(path).lower().endswith((".sgm", ".sgml"))]
    if sgm and not references:
        return [_sgm(folder, name, sgm, langpair, source)]
    return [_texts(folder, name, texts, langpair, source, references)]


def _sgm(folder: Path, name: str, files: Sequence[Path], langpair: str | None, source: Path | None) -> TestSet:
    """SGML files of WMT, told apart by what they hold."""
    sets = [each for path in files for each in parse(path)]
    of_kind = {kind: list(dict.fromkeys(each.path for each in sets if each.kind == kind)) for kind in SETS}
    for kind in ("refset", "tstset"):
        if not of_kind[kind]:
            raise InputError(f"{folder}: no .sgm file holds {SETS[kind]} (<{kind}>). Put them into one folder.")
    if len(of_kind["srcset"]) > 1:
        listed = " and ".join(map(str, of_kind["srcset"][:2]))
        raise InputError(
            f"{folder}: {listed} hold sources. Keep one language pair in a folder, or name one with --source."
        )
    pair = langpair or _sgm_langpair(sets) or _langpair(folder, None, of_kind["refset"])
    settings: dict[str, Any] = {"format": "wmt-sgm", "langpair": pair or "und-und"}
    remarks = {"format": "SGML of WMT"}
    remarks |= {"langpair": "as in the files"} if pair and not langpair else _unknown_langpair(pair)
    chosen_source = source or next(iter(of_kind["srcset"]), None)
    if chosen_source:
        settings["source"] = str(chosen_source)
    for key, kind in (("references", "refset"), ("systems", "tstset")):
        paths, texts = of_kind[kind], [each for each in sets if each.kind == kind]
        unique = len({each.name for each in texts}) == len(texts)
        settings[key] = (_pattern(folder, paths) or [str(path) for path in paths]) if unique else _named(paths)
        remarks[key] = f"{len(texts)} {key if len(texts) > 1 else key.removesuffix('s')} in <{kind}>"
    return TestSet(name, settings, remarks)


def _sgm_langpair(sets: Iterable[TextSet]) -> str | None:
    """The languages that the files give."""
    codes = {side: next((each.languages[side] for each in sets if side in each.languages), None) for side in _SIDES}
    return f"{codes['source']}-{codes['target']}" if all(codes.values()) else None


def _is_collection(folder: Path) -> bool:
    """Whether a folder has the texts of several language pairs, as mt-metrics-eval and WMT keep them."""
    return (folder / "sources").is_dir() and (folder / "system-outputs").is_dir()


def _collection(folder: Path, name: str) -> list[TestSet]:
    return _wmt(folder) or _mtme(folder, name)


def _wmt(folder: Path) -> list[TestSet]:
    """The test sets of WMT21 to WMT23, whose files say everything in their names; none in other layouts."""
    files: dict[tuple[str, str, str], dict[str, Path]] = {}
    for path in sorted(folder.glob("*/*")):
        match = _WMT_NAME.fullmatch(path.name)
        if match and path.is_file():
            named = files.setdefault((match["testset"], match["langpair"], match["role"]), {})
            named[match["rest"].rpartition(".")[0] or match["rest"]] = path
    found = []
    for testset, langpair in dict.fromkeys(key[:2] for key in files):
        source, references, systems = (files.get((testset, langpair, role), {}) for role in ("src", "ref", "hyp"))
        if not systems or not references:
            continue
        settings: dict[str, Any] = {"langpair": langpair}
        if source:
            settings["source"] = str(next(iter(source.values())))
        settings["references"] = {reference_name(name): str(path) for name, path in references.items()}
        place = next(iter(systems.values())).parent
        if short_names([file_stem(path) for path in systems.values()]) == list(systems) and not _is_special(place):
            settings |= {"systems": f"{place}/{testset}.{langpair}.hyp.*", "short_names": True}
        else:
            settings["systems"] = {name: str(path) for name, path in systems.items()}
        remarks = {"systems": f"{len(systems)} systems, in WMT's names of files"}
        found.append(TestSet(_key(f"{testset}-{langpair}"), settings, remarks))
    return found


def _is_special(folder: Path) -> bool:
    """Whether a folder's name would be taken for a pattern."""
    return any(character in str(folder) for character in "*?[")


def _mtme(folder: Path, name: str) -> list[TestSet]:
    pairs = sorted(path.stem for path in folder.glob("sources/*.txt"))
    if not pairs:
        raise InputError(f"{folder / 'sources'}: holds no texts (*.txt).")
    return [
        TestSet(
            _key(f"{name}-{pair}"),
            {"format": "mtme", "root": str(folder), "langpair": pair},
            {"format": "the layout of mt-metrics-eval"},
        )
        for pair in pairs
        if (folder / "system-outputs" / pair).is_dir()
    ]


def _reports(folder: Path) -> list[Path]:
    """JSON files with entries."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict) and isinstance(content.get("entries"), list):
            found.append(path)
    return found


def _text_files(folder: Path) -> list[Path]:
    """Files that may hold texts, without hidden ones."""
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        suffix = Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix
        other = suffix.lower() in _OTHER_SUFFIXES or (suffix == ".tsv" and _role(inside) != "documents")
        readme = path.stem.lower() in ("readme", "license", "copying")
        if path.is_file() and not (hidden or other or readme) and len(inside.parts) <= _DEEPEST:
            found.append(path)
    return found


def _texts(
    folder: Path, name: str, files: list[Path], langpair: str | None, source: Path | None, references: Sequence[Path]
) -> TestSet:
    by_role: dict[str | None, list[Path]] = {}
    given = {path.resolve() for path in (*references, *([source] if source else ()))}
    for path in files:
        if path.resolve() not in given:
            by_role.setdefault(_role(path.relative_to(folder)), []).append(path)
    chosen_references = list(references) or by_role.get("references", [])
    if not chosen_references:
        raise InputError(
            f"{folder}: no file is called like a reference (reference.txt, ref.en, references/refA.txt). Name it with "
            "--reference."
        )
    chosen_source = source or _only(by_role.get("source", []), "source", folder)
    chosen_documents = _only(by_role.get("documents", []), "documents", folder)
    n_segments = _n_lines(chosen_references[0])
    notes = []

    def fits(path: Path) -> bool:
        """Whether a file has as many lines as the reference; if not, a note says so."""
        try:
            count = _n_lines(path)
        except InputError as error:
            notes.append(f"Left out: {error}")
            return False
        if count != n_segments:
            notes.append(f"Left out: {path} has {count} lines, {chosen_references[0]} has {n_segments}.")
        return count == n_segments

    for path in chosen_references[1:]:
        if not fits(path):
            raise InputError(f"{path}: has {_n_lines(path)} lines, but {chosen_references[0]} has {n_segments}.")
    systems = [path for path in (*by_role.get("systems", []), *by_role.get(None, [])) if fits(path)]
    if not systems:
        found = f" {notes[0]}" if notes else ""
        raise InputError(f"{folder}: no file with {n_segments} lines is left that could be a system's output.{found}")
    settings: dict[str, Any] = {}
    remarks: dict[str, str] = {}
    pair = langpair or _langpair(folder, chosen_source, chosen_references)
    settings["langpair"] = pair or "und-und"
    remarks |= {"langpair": "assumed from names"} if pair and not langpair else _unknown_langpair(pair)
    if chosen_source and fits(chosen_source):
        settings["source"] = str(chosen_source)
        remarks["source"] = "given" if source else "assumed from its name"
    settings["references"] = _named(chosen_references)
    remarks["references"] = "given" if references else "assumed from the name"
    if chosen_documents and fits(chosen_documents):
        settings["documents"] = str(chosen_documents)
        remarks["documents"] = "assumed from its name: one row per segment"
    settings["systems"] = _pattern(folder, systems) or _named(systems)
    remarks["systems"] = f"{len(systems)} systems with {n_segments} segments, the files that are nothing else"
    names = [file_stem(path) for path in systems]
    short = short_names(names)
    if short != names and isinstance(settings["systems"], str):
        settings["short_names"] = True
        remarks["short_names"] = f"systems are called {', '.join(short[:3])}{', ...' if len(short) > 3 else ''}"
    return TestSet(name, settings, remarks, tuple(notes))


def _role(inside: Path) -> str | None:
    """What a file is by the names of its folders, else by its own."""
    for part in (*reversed(inside.parts[:-1]), re.sub(r"\.(gz|xz)$", "", inside.name)):
        words = _parts(part)
        for role, known in _WORDS.items():
            if known & set(words) or (role == "references" and any(map(_ONE_OF_SEVERAL.fullmatch, words))):
                return role
    return None


def _parts(name: str) -> list[str]:
    return [word for word in re.split(r"[^A-Za-z0-9]+", name.lower()) if word]


def _only(paths: Sequence[Path], role: str, folder: Path) -> Path | None:
    """The one file of a role: the one with the plainest name."""
    if not paths:
        return None
    ranked = sorted(paths, key=lambda path: len(_parts(path.name)))
    if len(ranked) > 1 and len(_parts(ranked[0].name)) == len(_parts(ranked[1].name)):
        way = " Name it with --source." if role == "source" else " Move one of them out of the way."
        raise InputError(f"{folder}: {ranked[0]} and {ranked[1]} could both be the {role}.{way}")
    return ranked[0]


def _n_lines(path: Path) -> int:
    return len(read_lines(path))


def _langpair(folder: Path, source: Path | None, references: Sequence[Path]) -> str | None:
    """Languages, as far as the names of files and folder tell them."""
    for name in (*(path.name for path in (*references, *([source] if source else ()))), folder.resolve().name):
        found = re.search(r"(?<![A-Za-z])([a-z]{2,3})-([a-z]{2,3})(?![A-Za-z])", name)
        if found and not {found[1], found[2]} & _KNOWN:
            return f"{found[1]}-{found[2]}"
    codes = [_code(path) for path in (source, references[0])]
    return f"{codes[0]}-{codes[1]}" if all(codes) and codes[0] != codes[1] else None


def _code(path: Path | None) -> str | None:
    """A part of two letters in a file's name."""
    if path is None:
        return None
    codes = [word for word in _parts(path.name) if re.fullmatch("[a-z]{2}", word) and word not in _KNOWN]
    return codes[-1] if codes else None


def _unknown_langpair(langpair: str | None) -> dict[str, str]:
    if langpair:
        return {}
    return {"langpair": "unknown: write the languages, as in en-de; BLEU's tokenizer follows the target"}


def _named(paths: Sequence[Path]) -> dict[str, str]:
    """Names for files: their stems, with the folder where these are not unique."""
    counts = Counter(file_stem(path) for path in paths)
    return {
        file_stem(path) if counts[file_stem(path)] == 1 else f"{path.parent.name}/{file_stem(path)}": str(path)
        for path in paths
    }


def _pattern(folder: Path, paths: Iterable[Path]) -> str | None:
    """A pattern that matches just these files, so that a system that is added later is found."""
    paths = set(paths)
    parents, suffixes = {path.parent for path in paths}, {path.suffix for path in paths}
    if len(parents) > 1 or len(suffixes) > 1 or not all(suffixes):
        return None
    parent, suffix = parents.pop(), suffixes.pop()
    return None if _is_special(parent) or set(parent.glob(f"*{suffix}")) != paths else f"{parent}/*{suffix}"


def _key(name: str) -> str:
    """A name that may stand in paths of results."""
    key = re.sub(r"[^A-Za-z0-9_+-]+", "-", name).strip("-_+")
    return "testset" if not key or key in ("studies", "suites", "paper") else key
