"""Tiny COMET checkpoints with random weights, made on the spot: `python tiny_comet.py FOLDER KIND[:SEED] ...`.

Runs in the Python that has COMET, without a network. FOLDER/KIND[:SEED] gets what COMET expects: hparams.yaml,
checkpoints/model.ckpt and, here, the encoder that both name by its path.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any

SENTENCES = [
    "The old ferry leaves the harbour at seven, unless the fog comes in from the sea.",
    "Die alte Fähre verlässt den Hafen um sieben, wenn kein Nebel vom Meer hereinzieht.",
    "Wer zuletzt kommt, macht das Licht aus und schließt die Tür zum Garten ab!",
    "Nine of 12 bakeries sold out; 3.5 kg of flour (type 1050) were left on Monday?",
]
#: What a checkpoint is to be: COMET's class and what is special about it.
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "reference-based": ("regression_metric", {}),
    "reference-free": ("referenceless_regression_metric", {}),
    "unified": ("unified_metric", {"input_segments": ["mt", "src", "ref"], "word_layer": 2}),
    "unified-free": ("unified_metric", {"input_segments": ["mt", "src"], "word_layer": 2}),
    "spans": (
        "unified_metric",
        {"input_segments": ["mt", "src", "ref"], "word_layer": 2, "word_level_training": True},
    ),
    "xcomet": ("xcomet_metric", {"word_layer": 2, "encoder_model": "XLM-RoBERTa"}),
    "ranking": ("ranking_metric", {}),
}


def write_encoder(folder: Path, seed: int, size: tuple[int, int, int]) -> None:
    """An encoder of some width, layers and heads, and a tokenizer trained on the sentences above."""
    import torch
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(vocab_size=250, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(SENTENCES * 20, trainer)
    # Without the special tokens an empty text would have no token at all.
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("<s>", "</s>")],
    )
    fast = XLMRobertaTokenizerFast(tokenizer_object=tokenizer)
    fast.save_pretrained(folder)
    config = XLMRobertaConfig(
        vocab_size=len(fast),
        hidden_size=size[0],
        num_hidden_layers=size[1],
        num_attention_heads=size[2],
        intermediate_size=(4 if size[0] > 100 else 2) * size[0],
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=fast.pad_token_id,
        bos_token_id=fast.bos_token_id,
        eos_token_id=fast.eos_token_id,
    )
    torch.manual_seed(seed)
    XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(folder)


def make(folder: Path, kind: str, seed: int = 0, size: tuple[int, int, int] = (32, 2, 2)) -> Path:
    """Write a checkpoint of a kind; the checkpoint's path."""
    import pytorch_lightning
    import torch
    import yaml
    from comet.models import str2model

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    name, special = KINDS[kind]
    write_encoder(folder / "encoder", seed, size)
    settings = {"encoder_model": "XLM-RoBERTa", "pretrained_model": str(folder / "encoder"), "local_files_only": True}
    if name != "ranking_metric":
        settings["hidden_sizes"] = [size[0] // 2, size[0] // 4]
    torch.manual_seed(seed)
    model = str2model[name](**{**settings, **special})
    if hasattr(model, "hidden2tag"):
        # Spread the labels, so that there are spans of every severity and none of a tie.
        with torch.no_grad():
            model.hidden2tag.weight.mul_(8)
    trainer = pytorch_lightning.Trainer(logger=False, accelerator="cpu", devices=1, enable_progress_bar=False)
    trainer.strategy.connect(model)
    path = folder / "checkpoints" / "model.ckpt"
    path.parent.mkdir(parents=True, exist_ok=True)
    trainer.save_checkpoint(path, weights_only=True)
    hparams = {**dict(model.hparams), "class_identifier": name}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(hparams), encoding="utf-8")
    return path


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.simplefilter("ignore")
    for name in sys.argv[2:]:
        kind_, _, seed_ = name.partition(":")
        make(Path(sys.argv[1]).absolute() / name, kind_, int(seed_ or 0))
