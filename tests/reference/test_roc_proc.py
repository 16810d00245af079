"""Areas, partial areas, DeLong intervals and tests on WMT23 are those of the R package pROC.

`proc/roc_wmt23.tsv` was written by `proc/roc_wmt23.R`; its first line has the versions. Its input had a line
``system,error,MetricX,CometKiwi,prismSrc`` and one for each of the 1,177 rated segments of two systems: error is 1
where MQM is below 0.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from mtsig.studies.roc.curve import mcclish, partial_auc, roc_curve
from mtsig.studies.roc.delong import auc_covariances, normal_interval, normal_p_value

QE = {"MetricX": "MetricX-23-QE", "CometKiwi": "CometKiwi", "prismSrc": "prismSrc"}
PARTS = {"low": (0.0, 0.2), "high": (0.8, 1.0)}


def _scores(path: Path) -> dict[str, np.ndarray]:
    scores = defaultdict(list)
    for line in path.read_text(encoding="utf-8").strip("\n").split("\n"):
        system, score = line.split("\t")
        scores[system].append(float("nan") if score == "None" else float(score))
    return {system: np.array(values) for system, values in scores.items()}


def _quantities(errors: np.ndarray, scores: dict[str, np.ndarray]) -> dict[tuple[str, str], float | None]:
    """What mtsig gives, under pROC's names."""
    covariances = auc_covariances(errors, {name: -values for name, values in scores.items()})
    curves = {name: roc_curve(errors, values) for name, values in scores.items()}
    found: dict[tuple[str, str], float | None] = {}
    for name, curve in curves.items():
        low, high = normal_interval(curve.auc, covariances[name, name], confidence_level=0.95)
        found |= {("auc", name): curve.auc, ("delong_low", name): low, ("delong_high", name): high}
        for part, limits in PARTS.items():
            area = partial_auc(curve, *limits)
            found |= {(f"area_{part}", name): area, (f"mcclish_{part}", name): mcclish(area, *limits)}
        if name != "MetricX":
            variance = covariances["MetricX", "MetricX"] + covariances[name, name] - 2 * covariances["MetricX", name]
            found["p_delong_MetricX", name] = normal_p_value(curves["MetricX"].auc - curve.auc, variance)
    return found


def test_areas_and_delong_are_those_of_proc(shared_data: Path) -> None:
    root = shared_data / "mtme" / "wmt23"
    human = _scores(root / "human-scores" / "zh-en.mqm.seg.score")
    qe = {name: _scores(root / "metric-scores" / "zh-en" / f"{file}-src.seg.score") for name, file in QE.items()}
    lines = (Path(__file__).parent / "proc" / "roc_wmt23.tsv").read_text(encoding="utf-8").splitlines()[2:]
    expected = defaultdict(dict)
    for system, quantity, name, value in (line.split("\t") for line in lines):
        expected[system][quantity, name] = float(value)
    assert set(expected) == {"ANVITA", "ONLINE-A"}
    for system, values in expected.items():
        rated = ~np.isnan(human[system])
        assert rated.sum() == 1177
        found = _quantities(human[system][rated] < -1e-9, {name: scores[system][rated] for name, scores in qe.items()})
        # pROC printed 15 digits.
        assert found == pytest.approx(values, rel=1e-12)
