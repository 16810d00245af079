"""Parquet tables hold exactly the columns of their contract."""

from __future__ import annotations

import pyarrow as pa
import pytest
from mtsig.contracts import TABLES
from mtsig.io import read_table, write_table

ROW = {
    "testset": "demo",
    "langpair": "de-en",
    "metric": "bleu",
    "system": "a",
    "score": 30.5,
    "standard_error": 0.5,
    "n_segments": 10,
}
SCHEMA = TABLES["truth"]


def _forms(row):
    """A row in every form that a table may come in."""
    return (
        [row],
        {name: [value] for name, value in row.items()},
        pa.table({name: [value] for name, value in row.items()}),
    )


@pytest.mark.parametrize("form", range(3))
def test_columns_come_in_the_order_of_the_contract(tmp_path, form):
    write_table(tmp_path / "t.parquet", _forms(dict(reversed(ROW.items())))[form], SCHEMA)
    assert read_table(tmp_path / "t.parquet").column_names == list(SCHEMA)


@pytest.mark.parametrize("form", range(3))
@pytest.mark.parametrize("change", ["lacks", "adds"])
def test_other_columns_are_refused_by_name_and_nothing_is_written(tmp_path, form, change):
    """What a row lacks is no null, and what the contract does not name is not dropped."""
    row = {**ROW, "extra": 1} if change == "adds" else {name: ROW[name] for name in ROW if name != "score"}
    with pytest.raises(ValueError, match="extra" if change == "adds" else "score"):
        write_table(tmp_path / "t.parquet", _forms(row)[form], SCHEMA)
    assert not list(tmp_path.iterdir())


def test_numbers_that_are_none_are_refused(tmp_path):
    """Undefined numbers are null, never NaN."""
    with pytest.raises(ValueError, match="score holds NaN"):
        write_table(tmp_path / "t.parquet", [{**ROW, "score": float("nan")}], SCHEMA)
