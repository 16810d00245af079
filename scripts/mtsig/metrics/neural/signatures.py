"""What a neural metric computes, and the signature that says so."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import python_version

__all__ = ["Options", "display_name", "is_path", "scoring_of", "signature"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a neural metric computes.

    Attributes
    ----------
    model
        Name on the hub, or path of a checkpoint.
    revision
        Branch, tag or commit on the hub.
    precision
        ``fp32``, ``fp16`` or ``bf16``.
    batch_size
        Inputs per batch.
    references
        Names of the references to use; None for all, () for none.
    combine
        How the scores against several references become one: ``mean`` or ``max``.
    blank_hypotheses
        ``model`` for the model's own score of a hypothesis without any text, ``zero`` for 0.
    """

    model: str
    revision: str | None = None
    precision: str = "fp32"
    batch_size: int = 32
    references: tuple[str, ...] | None = None
    combine: str = "mean"
    blank_hypotheses: str = "model"


def is_path(model: str) -> bool:
    """Whether `model` names a file or folder and not a model of the hub.

    Examples
    --------
    >>> is_path("Unbabel/wmt22-comet-da"), is_path("./mine"), is_path("models/mine/checkpoints/model.ckpt")
    (False, True, True)
    """
    return model.endswith(".ckpt") or model.startswith((".", "/", "~")) or Path(model).exists()


def display_name(model: str) -> str:
    """The model's name for signatures: the hub's, or the folder that holds the checkpoint, so that no path leaks.

    Examples
    --------
    >>> display_name("Unbabel/wmt22-comet-da"), display_name("/home/me/tiny/checkpoints/model.ckpt")
    ('Unbabel/wmt22-comet-da', 'tiny')
    """
    if not is_path(model):
        return model
    path = Path(os.path.abspath(Path(model).expanduser()))  # noqa: PTH100 - a link's own name is wanted, not its target's
    if path.suffix == ".ckpt":
        path = path.parents[1] if path.parent.name == "checkpoints" else path.with_suffix("")
    return path.name


def signature(
    options: Options, context: Mapping[str, str], n_references: int | str, names: Sequence[str] | None
) -> str:
    """What fixes the scores, in the order of SacreCOMET's signatures (Zouhar et al. 2024) and with more behind.

    Parameters
    ----------
    options
        What is computed.
    context
        What the scores depend on beside their texts; see `mtsig.metrics.neural.scoring.context_of`.
    n_references, names
        Number of references per segment, and their names; None for all that there are.
    """
    several = n_references == "var" or int(n_references) > 1
    parts = [
        f"Python{python_version()}",
        f"Comet{context['package'].split()[-1]}",
        options.precision,
        display_name(options.model),
        f"r{n_references}",
        context["checkpoint"],
        f"refs:{'all' if names is None else '+'.join(names) or 'none'}",
        *([f"combine:{options.combine}"] if several else []),
        f"blank:{options.blank_hypotheses}",
        f"batch:{context['batching']}",
        f"device:{context['device']}",
        f"torch:{context['torch']}",
    ]
    return "|".join(parts)


def scoring_of(signature: str) -> str | None:
    """A neural signature without what follows from the test set (its references); None for other signatures.

    Scores of two test sets may be averaged where this is the same.

    Examples
    --------
    >>> scoring_of("Python3.11.7|Comet2.2.7|fp32|m|r2|rev:01|refs:a+b|combine:mean|blank:model|batch:fixed32")
    'Comet2.2.7|fp32|m|rev:01|blank:model|batch:fixed32'
    >>> scoring_of("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0")
    """
    python, *parts = signature.split("|")
    if not (python.startswith("Python") and parts and parts[0].startswith("Comet")):
        return None
    return "|".join(part for part in parts if not re.fullmatch(r"r(\d+|var)|refs:.*|combine:.*", part))
