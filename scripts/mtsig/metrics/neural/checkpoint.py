"""Which checkpoint a model name means, what it reads, and whether it can be had: without loading it.

Runs in the workflow's Python and in the scorer's. PyYAML is imported where a description is read and huggingface_hub
where the cache or the hub is asked; torch and COMET are not needed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtsig.errors import ConfigError, UnavailableError
from mtsig.metrics.neural.signatures import is_path

__all__ = ["Checkpoint", "check", "local_files", "locate"]

# COMET's own name for a kind of model, to the texts that it reads and whether it does without a reference.
_CLASSES = {
    "regression_metric": (("source", "hypothesis", "reference"), False),
    "referenceless_regression_metric": (("source", "hypothesis"), True),
    "unified_metric": (None, None),
    "xcomet_metric": (("source", "hypothesis", "reference"), True),
}
_INPUTS = {"src": "source", "mt": "hypothesis", "ref": "reference"}
_MODEL_FILE, _DESCRIPTION = "checkpoints/model.ckpt", "hparams.yaml"
# What a tokenizer of the Hugging Face format is read from, beside the encoder's description.
_TOKENIZER_FILES = ("tokenizer.json", "sentencepiece.bpe.model", "sentencepiece.model", "vocab.txt")
_SECONDS = 20


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint on disk.

    Attributes
    ----------
    path
        The ``.ckpt`` file.
    identity
        ``rev:COMMIT`` for a model of the hub, else ``sha256:DIGEST`` of the files.
    reads
        The texts that it reads, of source, hypothesis and reference.
    reference_free
        Whether it also works without a reference.
    word_level
        Whether it marks error spans.
    """

    path: Path
    identity: str
    reads: tuple[str, ...]
    reference_free: bool
    word_level: bool


def local_files(model: str) -> list[Path]:
    """The files of a checkpoint given by path: weights, description, and what its tokenizer is read from.

    Raises
    ------
    UnavailableError
        If the weights or the description are not there.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        path = path / _MODEL_FILE
    if not path.is_file():
        raise UnavailableError(
            f"there is no checkpoint {path}. Give a .ckpt file, the folder above checkpoints/, or a name."
        )
    description = path.absolute().parents[1] / _DESCRIPTION
    if not description.is_file():
        raise UnavailableError(f"{description} is missing: COMET keeps it one folder above the checkpoint's.")
    encoder = Path(str(_described(description).get("pretrained_model", "")))
    texts = [encoder / name for name in ("config.json", *_TOKENIZER_FILES)] if encoder.is_dir() else []
    return [path, description, *(text for text in texts if text.is_file())]


def locate(model: str, revision: str | None = None, *, local_files_only: bool = False) -> Checkpoint:
    """Find a checkpoint on disk, or fetch it from the hub.

    A model that the hub's cache holds is taken from there: a branch that moved on does not change a study by itself.

    Parameters
    ----------
    model
        Path of a ``.ckpt`` file, of the folder that holds ``checkpoints/model.ckpt``, or a name on the hub.
    revision
        Branch, tag or commit on the hub; None for its main branch.
    local_files_only
        Do not ask the hub.

    Raises
    ------
    ConfigError
        If it is a kind of model that gives no scores, or a revision is given for a path.
    UnavailableError
        If it is not there.
    """
    if is_path(model):
        _refuse_revision(revision)
        files = local_files(model)
        digest = hashlib.sha256()
        for file in files:
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return _checkpoint(files[0], files[1], f"sha256:{digest.hexdigest()[:16]}")
    folder = _cached(model, revision)
    if folder is None:
        check(model, revision, local_files_only=local_files_only)
        from huggingface_hub import snapshot_download

        folder = Path(snapshot_download(model, revision=revision))
    # A snapshot's folder is named by its commit.
    return _checkpoint(folder / _MODEL_FILE, folder / _DESCRIPTION, f"rev:{folder.name[:12]}")


def check(model: str, revision: str | None = None, *, local_files_only: bool = False) -> str | None:
    """See whether a checkpoint and its encoder's tokenizer can be had, or say what is in the way; fetch nothing big.

    Returns
    -------
    str or None
        The commit, for a model of the hub; None for a path.

    Raises
    ------
    ConfigError, UnavailableError
        With a message that names the reason and the way out: missing, gated, or no network.
    """
    if is_path(model):
        _refuse_revision(revision)
        files = local_files(model)
        _checkpoint(files[0], files[1], "")
        _check_encoder(files[1], local_files_only=local_files_only)
        return None
    folder = _cached(model, revision)
    if folder is not None:
        _checkpoint(folder / _MODEL_FILE, folder / _DESCRIPTION, "")
        _check_encoder(folder / _DESCRIPTION, local_files_only=local_files_only)
        return folder.name
    if local_files_only or _offline():
        raise UnavailableError(
            f"the model {model}{f' in revision {revision}' if revision else ''} is not in the local cache, and "
            f"the network is not to be used. Fetch it once with `huggingface-cli download {model}`, or set "
            f"neural.local_files_only: false and unset HF_HUB_OFFLINE."
        )
    commit = _ask_hub(model, _MODEL_FILE, revision)
    description = Path(_fetch(model, _DESCRIPTION, revision))
    _checkpoint(Path(_MODEL_FILE), description, "")
    _check_encoder(description, local_files_only=False)
    return commit


def _refuse_revision(revision: str | None) -> None:
    if revision is not None:
        raise ConfigError(
            f"the revision {revision} has no meaning for a path. Leave it out, or give a name on the hub."
        )


def _described(description: Path) -> dict[str, Any]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads what COMET writes: plain values, and now and then a Python tuple."""

    def construct_tuple(loader: Loader, node: yaml.SequenceNode) -> tuple[Any, ...]:
        return tuple(loader.construct_sequence(node))

    Loader.add_constructor("tag:yaml.org,2002:python/tuple", construct_tuple)
    try:
        content = yaml.load(description.read_text(encoding="utf-8"), Loader=Loader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UnavailableError(f"{description} cannot be read ({str(error).splitlines()[0]}).") from None
    return content if isinstance(content, dict) else {}


def _checkpoint(path: Path, description: Path, identity: str) -> Checkpoint:
    content = _described(description)
    name = content.get("class_identifier")
    if name not in _CLASSES:
        raise ConfigError(
            f"{description}: class_identifier is {name!r}. Models of the kinds {', '.join(_CLASSES)} give scores; "
            f"others do not."
        )
    reads, reference_free = _CLASSES[name]
    if reads is None:
        inputs = content.get("input_segments", ("mt", "src", "ref"))
        reads = tuple(_INPUTS[key] for key in ("src", "mt", "ref") if key in inputs)
        reference_free = "source" in reads
    return Checkpoint(
        path=path,
        identity=identity,
        reads=reads,
        reference_free=bool(reference_free),
        word_level=name == "xcomet_metric" or bool(content.get("word_level_training")),
    )


def _cached(model: str, revision: str | None) -> Path | None:
    """Folder of a complete snapshot in the hub's cache."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(model, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    except HFValidationError as error:
        raise ConfigError(f"model {model!r} is neither a path nor a name on the hub ({error}).") from None
    # A download that was broken off leaves a snapshot without its largest file.
    return folder if (folder / _MODEL_FILE).is_file() and (folder / _DESCRIPTION).is_file() else None


def _offline() -> bool:
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def _check_encoder(description: Path, *, local_files_only: bool) -> None:
    """The checkpoint names an encoder, of which COMET reads the description and the tokenizer from its own place."""
    encoder = str(_described(description).get("pretrained_model", ""))
    if not encoder or Path(encoder).is_dir():
        return
    if encoder.startswith(("/", ".")):
        raise UnavailableError(
            f"{description}: the encoder {encoder} is not there (was the folder moved?). "
            f"Correct pretrained_model in that file."
        )
    from huggingface_hub import try_to_load_from_cache

    def cached(name: str) -> bool:
        return isinstance(try_to_load_from_cache(encoder, name), str)

    if cached("config.json") and any(map(cached, _TOKENIZER_FILES)):
        return
    if local_files_only or _offline():
        raise UnavailableError(
            f"the encoder {encoder}, whose tokenizer the model needs, is not in the local cache, and the network is "
            f"not to be used. Fetch it once with `huggingface-cli download {encoder}`."
        )
    _ask_hub(encoder, "config.json", None)


def _ask_hub(model: str, file: str, revision: str | None) -> str:
    """Whether the hub would give a file to us; its commit, or the reason why not."""
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import get_session

    with _explained(model, revision):
        # The client tries for half a minute where there is no network; one look beforehand spares that.
        get_session().head(constants.ENDPOINT, timeout=_SECONDS)
        return str(get_hf_file_metadata(hf_hub_url(model, file, revision=revision), timeout=_SECONDS).commit_hash)


def _fetch(model: str, file: str, revision: str | None) -> str:
    from huggingface_hub import hf_hub_download

    with _explained(model, revision):
        return str(hf_hub_download(model, file, revision=revision, etag_timeout=_SECONDS))


class _explained:  # noqa: N801 - used like a function
    """Turns what the hub's client raises into one message."""

    def __init__(self, model: str, revision: str | None) -> None:
        self._model, self._revision = model, revision

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, Exception):
            return
        from huggingface_hub import errors

        match error:
            case errors.GatedRepoError():
                reason = (
                    f"the model {self._model} is gated: accept its terms at https://huggingface.co/{self._model}, then "
                    f"log in with `huggingface-cli login` or set HF_TOKEN."
                )
            case errors.RevisionNotFoundError():
                reason = f"the model {self._model} has no revision {self._revision}. Look at its branches and tags."
            case errors.RepositoryNotFoundError():
                reason = (
                    f"there is no model {self._model} on the hub, or it is private. Check the name; a private model "
                    f"needs `huggingface-cli login`."
                )
            case errors.EntryNotFoundError() if not isinstance(error, errors.LocalEntryNotFoundError):
                reason = f"{self._model} on the hub is no COMET model: a file that COMET needs is missing there."
            case _:
                reason = (
                    f"the model {self._model} is not in the local cache and the hub cannot be reached "
                    f"({type(error).__name__}). Connect to the network, or fetch it elsewhere and copy the cache."
                )
        raise UnavailableError(reason) from None
