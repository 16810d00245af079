"""The adapter around COMET and torch: the only module that touches either.

It uses COMET's own tokenizers, encoders, estimators and decoders, but not its prediction loop: that one starts a
trainer for every system, encodes sources and references again for each, and pads by what happens to be in a batch.
"""

from __future__ import annotations

import copy
import json
import logging
import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mtsig.errors import ConfigError, UnavailableError
from mtsig.metrics.neural.batches import Plan, Tokens, Triple
from mtsig.metrics.neural.checkpoint import Checkpoint
from mtsig.metrics.neural.store import Entry

__all__ = ["choose_devices", "load", "package_versions"]

# Rows of one call of the estimator, so that its shape, too, is always the same.
_ESTIMATED = 64


def package_versions() -> dict[str, str]:
    """Versions of COMET, and of torch as far as it decides about arithmetic.

    Raises
    ------
    UnavailableError
        If a package is missing.
    """
    try:
        torch = version("torch").split("+")[0].split(".")
        return {"comet": version("unbabel-comet"), "torch": ".".join(torch[:2])}
    except PackageNotFoundError as error:
        raise UnavailableError(
            f"neural metrics need the package {error.name}, and {sys.executable} has none. Install COMET as "
            f"workflow/envs/README.md says, or give the Python of an environment that has it as neural.python."
        ) from None


def choose_devices(devices: str | int, warn: Any) -> tuple[str, ...]:
    """Names of the devices to use.

    Parameters
    ----------
    devices
        ``auto`` for a GPU where there is one, ``cpu``, or a number of GPUs.
    warn
        Called with one line where the CPU is used for want of a GPU.

    Raises
    ------
    ConfigError
        If there are fewer GPUs than wanted.
    """
    import torch

    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if devices == "cpu":
        return ("cpu",)
    if devices == "auto":
        if not found:
            warn("warning: no GPU was found, so the model runs on the CPU, which is slow.")
        return ("cuda:0",) if found else ("cpu",)
    if int(devices) > found:
        raise ConfigError(
            f"neural.devices: {devices} GPUs are wanted and {found} can be used. Give a smaller number, auto or cpu."
        )
    return tuple(f"cuda:{index}" for index in range(int(devices)))


def load(
    checkpoint: Checkpoint, *, precision: str, devices: Sequence[str], threads: int, local_files_only: bool
) -> _Pooled | _Joint:
    """Load a checkpoint onto devices.

    Raises
    ------
    UnavailableError
        If COMET cannot be imported, or cannot load the checkpoint.
    """
    with warnings.catch_warnings():
        # COMET's dependencies warn about each other; nothing of it concerns the scores.
        warnings.simplefilter("ignore")
        logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
        try:
            import comet
            import torch
        except Exception as error:
            raise UnavailableError(
                f"COMET cannot be imported ({type(error).__name__}: {error}). Install the versions that "
                f"workflow/envs/README.md names."
            ) from None
        torch.set_num_threads(threads)
        # Single precision means single precision: no shorter mantissas inside of products.
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        open_checkpoint = partial(comet.load_from_checkpoint, str(checkpoint.path), local_files_only=local_files_only)
        try:
            try:
                model = open_checkpoint()
            except OSError:
                # The encoder's place stands in the checkpoint and in the description beside it; where the folder has
                # been moved, only the latter can have been corrected.
                model = open_checkpoint(reload_hparams=True)
        except Exception as error:
            raise UnavailableError(
                f"COMET cannot load {checkpoint.path} ({type(error).__name__}: {str(error).splitlines()[0]})."
            ) from None
    model.eval()
    model = {"fp32": model.float, "fp16": model.half, "bf16": model.bfloat16}[precision]()
    model.estimator = _with_fixed_rows(model.estimator)
    kind = _Joint if isinstance(model, comet.models.UnifiedMetric) else _Pooled
    return kind(model, checkpoint, devices)


def _with_fixed_rows(estimator: Any) -> Any:
    """An estimator that always works on the same number of rows, so that a row's result depends on nothing else."""
    import torch

    class FixedRows(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.estimator = estimator

        def forward(self, inputs: Any) -> Any:
            # COMET's own casts to fp16 where it must, but knows nothing of bf16.
            if next(self.estimator.parameters()).dtype == torch.bfloat16:
                inputs = inputs.bfloat16()
            parts = []
            for part in inputs.split(_ESTIMATED):
                missing = _ESTIMATED - len(part)
                filled = torch.cat([part, part[-1:].expand(missing, -1)]) if missing else part
                parts.append(self.estimator(filled)[: len(part)])
            return torch.cat(parts)

    return FixedRows()


class _CometModel:
    """What both kinds of models have in common."""

    def __init__(self, model: Any, checkpoint: Checkpoint, devices: Sequence[str]) -> None:
        import torch

        self._torch = torch
        self._reads = checkpoint.reads
        self._models = [model.to(devices[0]), *(copy.deepcopy(model).to(device) for device in devices[1:])]
        self._devices = tuple(devices)
        self._encoder = model.encoder
        self._tokenizer = model.encoder.tokenizer
        self.n_devices = len(devices)
        self.fill = not devices[0].startswith("cpu")
        #: Where COMET cuts a single text.
        self._text_limit = self._encoder.max_positions - 2

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether it is one of the errors by which torch says so."""
        if isinstance(error, MemoryError | self._torch.cuda.OutOfMemoryError):
            return True
        return isinstance(error, RuntimeError) and any(
            words in str(error) for words in ("can't allocate memory", "out of memory")
        )

    def release(self) -> None:
        """Empty the caching allocators."""
        if self.fill:
            self._torch.cuda.empty_cache()

    def _tokenize(self, texts: Sequence[str]) -> tuple[dict[str, Any], dict[str, int]]:
        """Encodings of distinct texts, cut where COMET cuts them; and how long those were that had to be cut."""
        unique = list(dict.fromkeys(texts))
        if not unique:
            return {}, {}
        encoded = self._tokenizer(unique, truncation=True, max_length=self._text_limit)
        found = {text: encoded[index] for index, text in enumerate(unique)}
        full = [text for text, encoding in found.items() if len(encoding.ids) >= self._text_limit]
        lengths = [len(ids) for ids in self._tokenizer(full, verbose=False)["input_ids"]] if full else []
        return found, {text: n for text, n in zip(full, lengths, strict=True) if n > self._text_limit}

    def _padded(self, inputs: Sequence[Tokens], columns: int, device: int) -> dict[str, Any]:
        """Tensors of token numbers and masks, and of token types for encoders that want them."""
        torch, place = self._torch, self._devices[device]
        pad = self._tokenizer.pad_token_id
        ids = torch.tensor([[*tokens.ids, *[pad] * (columns - len(tokens.ids))] for tokens in inputs])
        lengths = torch.tensor([len(tokens.ids) for tokens in inputs])
        positions = torch.arange(columns)[None, :]
        return {
            "input_ids": ids.to(place),
            "attention_mask": (positions < lengths[:, None]).long().to(place),
            "types": (positions >= torch.tensor([tokens.first for tokens in inputs])[:, None]).int().to(place),
        }

    def _truncated(self, triple: Triple, long: Mapping[str, int]) -> dict[str, int]:
        return {name: long[text] for name, text in triple._asdict().items() if text in long}


class _Pooled(_CometModel):
    """Models that encode each text on its own and estimate a score from the pooled encodings."""

    def __init__(self, model: Any, checkpoint: Checkpoint, devices: Sequence[str]) -> None:
        super().__init__(model, checkpoint, devices)
        self.limit = self._text_limit
        # The estimator is called through COMET's own forward function, with the encodings in place of the tokens.
        self._estimator = self._models[0]
        self._estimator.get_sentence_embedding = lambda encoding, _: encoding

    def plan(self, triples: Sequence[Triple]) -> list[Plan]:
        """Source and reference are shared, the hypothesis is the triple's own."""
        texts, long = self._tokenize([text for triple in triples for text in triple if text is not None])
        tokens = {text: Tokens(tuple(encoding.ids), len(encoding.ids)) for text, encoding in texts.items()}
        return [
            Plan(
                triple,
                tuple(tokens[text] for text in (triple.source, triple.reference) if text is not None),
                (tokens[triple.hypothesis],),
                self._truncated(triple, long),
            )
            for triple in triples
        ]

    def encode(self, inputs: Sequence[Tokens], width: int, device: int) -> list[Any]:
        """Pooled encodings, one vector per text."""
        tensors = self._padded(inputs, width, device)
        with self._torch.inference_mode():
            encodings = self._models[device].compute_sentence_embedding(tensors["input_ids"], tensors["attention_mask"])
        return list(encodings.cpu())

    def combine(self, plans: Sequence[Plan], encoded: Sequence[Sequence[Any]]) -> list[Entry]:
        """The estimator's scores."""
        names = [name for name in ("source", "reference", "hypothesis") if name in self._reads]
        inputs: dict[str, Any] = {}
        for name, vectors in zip(names, zip(*encoded, strict=True), strict=True):
            short = {"source": "src", "reference": "ref", "hypothesis": "mt"}[name]
            stacked = self._torch.stack(list(vectors)).to(self._devices[0])
            inputs |= {f"{short}_input_ids": stacked, f"{short}_attention_mask": None}
        with self._torch.inference_mode():
            scores = self._estimator.forward(**inputs).score.float().tolist()
        return [Entry(score, _extra(plan, None)) for score, plan in zip(scores, plans, strict=True)]


class _Joint(_CometModel):
    """Models that encode the texts together and, where trained for it, mark errors in the hypothesis."""

    def __init__(self, model: Any, checkpoint: Checkpoint, devices: Sequence[str]) -> None:
        super().__init__(model, checkpoint, devices)
        self.limit = self._encoder.max_positions
        self._word_level = bool(model.word_level)
        self._score_weights = getattr(model, "score_weights", None)
        self._span_weights = [float(weight) for weight in getattr(model, "input_weights_spans", [1.0])]

    def plan(self, triples: Sequence[Triple]) -> list[Plan]:
        """One input with the source, one with the reference, one with both, as far as the texts are there."""
        texts, long = self._tokenize([text for triple in triples for text in triple if text is not None])
        plans = []
        for triple in triples:
            hypothesis = texts[triple.hypothesis]
            others = [list(texts[text].ids) for text in (triple.source, triple.reference) if text is not None]
            combinations = [[other] for other in others] + ([others] if len(others) > 1 else [])
            joined = [self._join([list(hypothesis.ids), *rest]) for rest in combinations]
            truncated = self._truncated(triple, long)
            longest = max(length for _, length in joined)
            if longest > self.limit:
                truncated["input"] = longest
            inputs = tuple(Tokens(ids, len(hypothesis.ids)) for ids, _ in joined)
            plans.append(Plan(triple, (), inputs, truncated, note=hypothesis.offsets))
        return plans

    def _join(self, texts: list[list[int]]) -> tuple[tuple[int, ...], int]:
        """COMET's own joint sequence of some texts, and how long it would be without a limit."""
        tensors = [{"input_ids": self._torch.tensor([ids])} for ids in texts]
        inputs, lengths, _ = self._encoder.concat_sequences(tensors)
        whole = sum(len(ids) - 2 for ids in texts) + 2 + (len(texts) - 1) * self._encoder.size_separator
        return tuple(inputs["input_ids"][0, : int(lengths[0])].tolist()), whole

    def encode(self, inputs: Sequence[Tokens], width: int, device: int) -> list[Any]:
        """Score and, for models that mark errors, the probabilities of every label at every token."""
        tensors = self._padded(inputs, width, device)
        types = {"token_type_ids": tensors["types"]} if self._encoder.uses_token_type_ids else {}
        with self._torch.inference_mode():
            output = self._models[device].forward(tensors["input_ids"], tensors["attention_mask"], **types)
            scores = output.score.cpu()
            if not self._word_level:
                return [(score, None) for score in scores]
            probabilities = self._torch.softmax(output.logits, dim=2).cpu()
        return list(zip(scores, probabilities, strict=True))

    def combine(self, plans: Sequence[Plan], encoded: Sequence[Sequence[Any]]) -> list[Entry]:
        """COMET's weighted sum of the scores of the inputs and of the marked errors."""
        return [self._entry(plan, parts) for plan, parts in zip(plans, encoded, strict=True)]

    def _entry(self, plan: Plan, parts: Sequence[Any]) -> Entry:
        torch = self._torch
        scores = torch.stack([score for score, _ in parts])
        spans = self._spans(plan, [probabilities for _, probabilities in parts]) if self._word_level else None
        if self._score_weights is None:
            return Entry(float(scores.mean()), _extra(plan, spans))
        assert spans is not None
        clipped = torch.where(scores > 1.0, 1.0, scores)
        weights = self._score_weights
        regression = sum(score * weight for score, weight in zip(clipped, weights[:3], strict=False))
        if len(parts) == 1:
            regression = clipped[0] * sum(weights[:3])
        points = {"minor": 1, "major": 5, "critical": 10}
        penalty = min(sum(points.get(span["severity"], 0) for span in spans), 25)
        quality = torch.tensor(-penalty + 25) / 25
        return Entry(float(regression + quality * weights[3]), _extra(plan, spans))

    def _spans(self, plan: Plan, parts: Sequence[Any]) -> list[dict[str, Any]]:
        """The errors that COMET's own decoder marks in the hypothesis."""
        first = plan.own[0]
        length = min(len(plan.note), len(first.ids))
        weights = self._span_weights if len(parts) > 1 else [1.0]
        weighted = [part[:length] * weight for part, weight in zip(parts, weights, strict=True)]
        probabilities = self._torch.sum(self._torch.stack(weighted), dim=0)
        ids = self._torch.tensor([first.ids])
        (spans,) = self._models[0].decode(probabilities[None], ids, [plan.note])
        return [dict(span) for span in spans]


def _extra(plan: Plan, spans: list[dict[str, Any]] | None) -> str:
    """What the score store keeps beside the score, as JSON."""
    content: dict[str, Any] = {}
    if plan.truncated:
        content["truncated"] = dict(plan.truncated)
    if spans is not None:
        for span in spans:
            if not math.isfinite(span["confidence"]):
                span["confidence"] = None
        content["spans"] = spans
    return json.dumps(content, sort_keys=True, ensure_ascii=False) if content else ""
