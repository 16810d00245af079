"""How often the checks of texts speak without reason, and how often they miss what is there.

``python tests/bench/lint_rates.py DATA`` prints the table that stands in ``results/README.md``. DATA is a folder with
test sets in mt-metrics-eval's layout (``wmt22``, ``wmt23``, ``wmt24``); simulated ones of several qualities are added.
False findings are those about systems as they were submitted; faults are put into copies of the same outputs.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from mtsig import EvaluationSet, lint, read

Texts = list[str]
#: A fault: from the texts of an output (with its test set) and the rows to change to texts with the fault.
Fault = Callable[[Texts, EvaluationSet, list[int]], Texts]

REAL = (("wmt22", "en-zh"), ("wmt22", "liv-en"), ("wmt23", "en-de"), ("wmt23", "zh-en"), ("wmt24", "en-is"))
#: Shares of segments with a fault.
FEW, EDITED = (0.02, 0.2), (0.15, 0.25)
SEED = 18


def sets(data: Path) -> Iterator[EvaluationSet]:
    """Real test sets, then simulated ones with good, mixed and poor systems."""
    for name, langpair in REAL:
        yield read(name, {"format": "mtme", "root": str(data / name), "langpair": langpair})
    for number, qualities in enumerate(((0.95, 0.9, 0.85), (0.9, 0.8, 0.7, 0.6), (0.7, 0.6, 0.5)) * 4):
        systems = {f"s{place}": quality for place, quality in enumerate(qualities)}
        settings = {"format": "simulated", "langpair": "de-en", "segments": 500, "seed": number, "systems": systems}
        yield read(f"simulated{number}", settings)


def prefixed(text: str) -> Fault:
    """Something before the texts of some rows."""

    def fault(texts: Texts, evaluation: EvaluationSet, rows: list[int]) -> Texts:
        chosen = set(rows)
        return [f"{text}{each}" if row in chosen else each for row, each in enumerate(texts)]

    return fault


def bold(texts: Texts, evaluation: EvaluationSet, rows: list[int]) -> Texts:
    """Texts between double asterisks."""
    chosen = set(rows)
    return [f"**{each}**" if row in chosen else each for row, each in enumerate(texts)]


def with_prompt(texts: Texts, evaluation: EvaluationSet, rows: list[int]) -> Texts:
    """The source before the output."""
    chosen = set(rows)
    return [
        f"{evaluation.sources[row]} = {each}" if row in chosen and evaluation.sources[row] else each
        for row, each in enumerate(texts)
    ]


def in_esperanto(texts: Texts, evaluation: EvaluationSet, rows: list[int]) -> Texts:
    """Other texts in a language that is neither source nor target."""
    text = "La malnova vojo kondukas hejmen tra la arbaro, kaj ni ĉiuj bone konas ĝin; numero"
    chosen = set(rows)
    return [f"{text} {row}" if row in chosen else each for row, each in enumerate(texts)]


def detached(texts: Texts, evaluation: EvaluationSet, rows: list[int]) -> Texts:
    """Blanks before the marks of the script."""
    chosen = set(rows)
    marks = str.maketrans({mark: f" {mark}" for mark in ".,，。、"})
    return [each.translate(marks) if row in chosen else each for row, each in enumerate(texts)]


def refused(texts: Texts, evaluation: EvaluationSet, rows: list[int]) -> Texts:
    """Refusals in place of texts."""
    chosen = set(rows)
    return ["I'm sorry, but I can't assist with that." if row in chosen else each for row, each in enumerate(texts)]


#: What is done to how many of the segments, and the findings that tell it.
FAULTS: dict[str, tuple[tuple[str, ...], Fault, tuple[float, float]]] = {
    "an opening": (("repeated_opening",), prefixed("My answer to you reads: "), FEW),
    "`Here is the translation:`": (("assistant_talk",), prefixed("Here is the translation: "), FEW),
    "refusals": (("assistant_talk",), refused, FEW),
    "bold letters": (("markup",), bold, FEW),
    "code fences": (("markup",), prefixed("```"), FEW),
    "the source repeated": (("prompt_repeated",), with_prompt, FEW),
    "a third language": (("foreign_segments", "wrong_script"), in_esperanto, FEW),
    "blanks before marks": (("tokenized_text",), detached, (0.5, 1.0)),
}


def main(data: Path) -> None:
    """Print the table."""
    rng = random.Random(SEED)
    columns = references = 0
    false: dict[str, int] = {}
    tried: dict[tuple[str, float], list[bool]] = {}
    edited: dict[float, list[bool]] = {}
    for evaluation in sets(data):
        columns += len(evaluation.systems)
        references += len(evaluation.references)
        for finding in lint(evaluation):
            if finding.level == "warning":
                false[finding.code] = false.get(finding.code, 0) + 1
        for system in rng.sample(sorted(evaluation.systems), min(3, len(evaluation.systems))):
            texts = [text or "" for text in evaluation.systems[system]]
            if sum(map(bool, texts)) < len(texts) / 2:
                continue
            for name, (codes, fault, shares) in FAULTS.items():
                for share in shares:
                    rows = rng.sample(range(len(texts)), round(share * len(texts)))
                    faulty = fault(texts, evaluation, rows)
                    if faulty == texts:
                        continue  # without sources no prompt is repeated
                    changed = {**evaluation.systems, system: tuple(faulty)}
                    found = lint(replace(evaluation, systems=changed))
                    told = any(each.system == system and each.code in codes for each in found)
                    tried.setdefault((name, share), []).append(told)
            # The reference of simulated texts is what all outputs are made from.
            for share in () if evaluation.testset.startswith("simulated") else EDITED:
                for name, reference in evaluation.references.items():
                    chosen = set(rng.sample(range(len(texts)), round(share * len(texts))))
                    made = tuple(texts[row] if row in chosen else each for row, each in enumerate(reference))
                    told = {(each.code, each.system) for each in lint(replace(evaluation, references={name: made}))}
                    edited.setdefault(share, []).append(("post_edited_reference", system) in told)
    print(f"{columns} outputs, {references} references")
    print("warnings about them as they are:", ", ".join(f"{code} {count}" for code, count in sorted(false.items())))
    for name, (codes, _, shares) in FAULTS.items():
        named = ", ".join(f"`{code}`" for code in codes)
        print(f"| {name} | {named} | {' | '.join(_missed(tried[name, share], share) for share in shares)} |")
    cells = [_missed(results, share) for share, results in edited.items()]
    print(f"| outputs in place of references | `post_edited_reference` | {' | '.join(cells)} |")


def _missed(told: list[bool], share: float) -> str:
    return f"{told.count(False)} of {len(told)} ({100 * share:.0f}%)"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
