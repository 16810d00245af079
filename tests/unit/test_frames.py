"""Results as pandas frames."""

from __future__ import annotations

import sys

import pytest
from mtsig import UnavailableError, read_frame
from mtsig.contracts import TABLES
from mtsig.io import write_table


@pytest.fixture
def systems(tmp_path):
    rows = [
        {"system": "NA", "rank": 1, "score": 30.5, "higher_is_better": True, "flags": ["few_units"]},
        {"system": "007", "rank": None, "score": None, "higher_is_better": None, "flags": []},
    ]
    rows = [{**dict.fromkeys(TABLES["systems"]), **row} for row in rows]
    write_table(tmp_path / "bleu.parquet", rows, TABLES["systems"])
    return tmp_path / "bleu.parquet"


def test_types_survive_nulls(systems):
    pd = pytest.importorskip("pandas")
    frame = read_frame(systems)
    assert list(frame.columns) == list(TABLES["systems"])
    assert frame["system"].tolist() == ["NA", "007"]
    assert frame["rank"].tolist() == [1, pd.NA]
    assert frame["score"].tolist() == [30.5, pd.NA]
    assert frame["higher_is_better"].tolist() == [True, pd.NA]
    assert [list(flags) for flags in frame["flags"]] == [["few_units"], []]


def test_without_pandas_the_way_to_get_it_is_named(systems, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UnavailableError, match=r"mtsig\[frames\]"):
        read_frame(systems)
