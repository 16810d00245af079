"""What a result was made from: digests of the code that ran and of the files it read, and versions of packages.

Snakemake decides by clocks what has to run again; here contents decide. Each rule carries a digest of its entry
script with every library module that the script can reach, and, where it reads files from outside, a digest of their
bytes. Both are derived, never kept by hand.

Three things make one module reach another:

* an import, at the top or inside a function;
* a string that is the full name of a module (``"mtsig.corpus.readers.text"``), which is how registries name what
  they import when it is asked for;
* a public name taken from a package that offers it lazily: an ``__init__.py`` with a ``__getattr__`` and a mapping of
  names to modules. The mapping itself reaches nothing, so that a package may offer much without making everybody
  depend on all of it.

Registries of interchangeable parts may be narrowed with `chosen`, so that a change of one metric's module concerns
that metric alone: of what a registry reaches on demand (in functions and through strings), only the chosen modules
count.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import json
import os
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mtsig.home import CARRIED

__all__ = ["code_digest", "content_digest", "modules", "same_code", "versions"]

_PACKAGE = "mtsig"
_ROOT = Path(__file__).parent
#: Files beside a package's modules that are part of its code.
_RESOURCES = {".c", ".h", ".css", ".j2", ".js"}
#: A file changed this recently may change again without any of its stat data changing (seconds).
_RACY = 2.0


def code_digest(
    entry: str | os.PathLike[str], *, chosen: Mapping[str, Collection[str]] | None = None, also: Iterable[str] = ()
) -> str:
    """Digest of an entry script and of all of mtsig that it can reach.

    Parameters
    ----------
    entry
        A Python file.
    chosen
        Registry module to the modules that are used out of those it reaches on demand: the others are left out. One
        that it does not reach narrows nothing, so that a wrong choice makes too much rerun, never too little.
    also
        Further modules of mtsig to start from.

    Returns
    -------
    str
        Hexadecimal SHA-256 over the entry's bytes and, in order of names, each module's name and bytes. It does not
        depend on where the files lie or when they were changed.

    Examples
    --------
    >>> code_digest(__file__) == code_digest(__file__)
    True
    """
    digest = hashlib.sha256(Path(entry).read_bytes())
    for name, path in modules(entry, chosen=chosen, also=also).items():
        digest.update(f"\0{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def same_code(folder: str | os.PathLike[str]) -> bool:
    """Whether the package in `folder` is, byte by byte, the one that is running; what its wheel carries does not count.

    Examples
    --------
    >>> same_code(Path(__file__).parent)
    True
    """
    other = Path(folder)
    if other.resolve() == _ROOT.resolve():
        return True
    ours, theirs = (
        {
            path.relative_to(root): path.read_bytes()
            for path in root.rglob("*")
            if path.suffix in {".py", *_RESOURCES} and CARRIED not in path.parents
        }
        for root in (_ROOT, other)
    )
    return ours == theirs


def modules(
    entry: str | os.PathLike[str], *, chosen: Mapping[str, Collection[str]] | None = None, also: Iterable[str] = ()
) -> dict[str, Path]:
    """The files of mtsig that an entry script can reach: name to path, sorted by name.

    Parameters are those of `code_digest`. Modules go by their dotted name, other files by their path inside mtsig.

    Examples
    --------
    >>> list(modules(__file__))
    ['mtsig', 'mtsig.errors', 'mtsig.home']
    >>> list(modules(__file__, also=["mtsig.progress"]))
    ['mtsig', 'mtsig.errors', 'mtsig.home', 'mtsig.progress']
    """
    chosen = chosen or {}
    found: dict[str, Path] = {}
    waiting = [*_references(Path(entry), "").all, *also]
    while waiting:
        name = waiting.pop()
        path = _module_path(name)
        if path is None or name in found:
            continue
        found[name] = path
        references = _references(path, name)
        narrowed = name in chosen and references.on_demand.issuperset(chosen[name])
        waiting += [*(references.at_once.union(chosen[name]) if narrowed else references.all), *_parents(name)]
        if path.name == "__init__.py":
            found |= _resources(path.parent)
    return dict(sorted(found.items()))


@functools.cache
def _module_path(name: str) -> Path | None:
    """The file of a module of mtsig, None where there is no such module."""
    head, *rest = name.split(".")
    if head != _PACKAGE or not all(part.isidentifier() for part in rest):
        return None
    path = _ROOT.joinpath(*rest)
    for candidate in (path / "__init__.py", path.with_name(path.name + ".py") if rest else path):
        if candidate.is_file():
            return candidate
    return None


def _parents(name: str) -> Iterator[str]:
    """The packages that importing a module imports first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _resources(package: Path) -> dict[str, Path]:
    """Sources and templates of a package, those of its subpackages left out."""
    found = {}
    for folder, subfolders, files in os.walk(package):
        subfolders[:] = [name for name in subfolders if not Path(folder, name, "__init__.py").exists()]
        for file in files:
            path = Path(folder, file)
            if path.suffix in _RESOURCES:
                found[f"{_PACKAGE}/{path.relative_to(_ROOT).as_posix()}"] = path
    return found


@dataclass(frozen=True)
class _References:
    """Modules that a file imports when it is imported itself, and those that it may import later."""

    at_once: frozenset[str]
    on_demand: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.at_once | self.on_demand


@functools.cache
def _references(path: Path, module: str) -> _References:
    """Modules of mtsig that a source file refers to; `module` is its own name, needed for relative imports."""
    is_package = path.name == "__init__.py"
    at_once: set[str] = set()
    on_demand: set[str] = set()
    attributes: set[str] = set()
    tree = ast.parse(path.read_bytes(), filename=str(path))
    skipped = {mapping for mapping, _ in _lazy_mappings(tree)} if is_package else set()
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, deferred = waiting.pop()
        if isinstance(node, ast.Import):
            (on_demand if deferred else at_once).update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = _absolute(node, module, is_package=is_package)
            names = [alias.name for alias in node.names]
            found = {
                package,
                *(f"{package}.{name}" for name in names),
                *(_lazy(package).get(n, package) for n in names),
            }
            (on_demand if deferred else at_once).update(found)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            on_demand.add(node.value)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            skipped.update(node.body)
        deferred = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        waiting += [(child, deferred) for child in ast.iter_child_nodes(node) if child not in skipped]
    # ``mtsig.read`` after ``import mtsig``: which name an attribute hangs on is not looked into.
    for name in at_once | on_demand:
        on_demand |= {_lazy(name)[attribute] for attribute in attributes & _lazy(name).keys()}
    existing = (frozenset(name for name in names if _module_path(name)) for names in (at_once, on_demand - at_once))
    return _References(*existing)


def _absolute(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *filter(None, [node.module])])


def _lazy_mappings(tree: ast.Module) -> list[tuple[ast.AST, dict[str, str]]]:
    """The mappings of names to modules from which a package's ``__getattr__`` serves, with their contents."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in tree.body):
        return []
    found: list[tuple[ast.AST, dict[str, str]]] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            keys, values = node.value.keys, node.value.values
            if all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in [*keys, *values]):
                content = ast.literal_eval(node.value)
                if all(_module_path(name) for name in content.values()):
                    found.append((node.value, content))
    return found


@functools.cache
def _lazy(package: str) -> dict[str, str]:
    """Public names that a package offers lazily, with the modules that hold them."""
    path = _module_path(package)
    if path is None or path.name != "__init__.py":
        return {}
    mappings = _lazy_mappings(ast.parse(path.read_bytes()))
    return {name: module for _, mapping in mappings for name, module in mapping.items()}


def content_digest(files: Iterable[str | os.PathLike[str]], *, memo: str | os.PathLike[str] | None = None) -> str:
    """Digest of the bytes of files and of the names by which they are told apart.

    Parameters
    ----------
    files
        Paths, in any order. Where they lie does not matter: a path counts from the folder that all have in common. A
        missing file counts as missing.
    memo
        JSON file in which digests of single files are kept by their stat data, so that unchanged files are not read
        again. It is made where it is missing, and a damaged one is replaced.

    Returns
    -------
    str
        Hexadecimal SHA-256.

    Examples
    --------
    >>> content_digest([]) == content_digest(["/no/such/file"])
    False
    """
    paths = sorted({Path(file).absolute() for file in files})
    common = os.path.commonpath([path.parent for path in paths]) if paths else ""
    known = _Memo(Path(memo)) if memo is not None and paths else None
    digest = hashlib.sha256()
    for path in paths:
        single = known.digest(path) if known else _file_digest(path)
        digest.update(f"{path.relative_to(common).as_posix()}\0{single}\0".encode("utf-8", "surrogateescape"))
    if known:
        known.save()
    return digest.hexdigest()


def _file_digest(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


class _Memo:
    """Digests of files by their stat data.

    The time of the last status change is part of the key: contents can be changed with size, inode and time of
    modification kept, but not without that one moving.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            entries = {}
        self._entries: dict[str, list[object]] = entries if isinstance(entries, dict) else {}
        self._changed = False

    def digest(self, path: Path) -> str | None:
        try:
            status = path.stat()
        except OSError:
            return None
        key = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        entry = self._entries.get(str(path))
        if isinstance(entry, list) and entry[:-1] == key and isinstance(entry[-1], str):
            return entry[-1]
        digest = _file_digest(path)
        if digest is not None and time.time() - status.st_ctime > _RACY:
            self._entries[str(path)] = [*key, digest]
            self._changed = True
        return digest

    def save(self) -> None:
        if not self._changed:
            return
        # The memo only saves time, so a folder that cannot be written to is no reason to stop.
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(self._entries, stream)
            Path(name).replace(self._path)
        except OSError:
            pass


@functools.cache
def versions(*packages: str) -> dict[str, str]:
    """Installed versions of distribution packages, sorted by name; ``"-"`` for one that is not there.

    Examples
    --------
    >>> versions("no-such-package")
    {'no-such-package': '-'}
    """
    found = {}
    for package in sorted(packages):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "-"
    return found
