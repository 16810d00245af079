"""What is swept in a study, and rows that share their keys as rows or columns of a table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_columns", "as_rows", "listed", "swept"]


def listed(value: Any) -> list[Any]:
    """The values of an option that may be one value or a list of them."""
    return list(value) if isinstance(value, list | tuple) else [value]


def swept(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The seeds and numbers of resamples of a study, each with each, under the names of their options.

    Examples
    --------
    >>> swept({"seed": [1, 2], "n_resamples": 1000})
    [{'seed': 1, 'n_resamples': 1000}, {'seed': 2, 'n_resamples': 1000}]
    """
    cells = itertools.product(listed(settings["seed"]), listed(settings["n_resamples"]))
    return [{"seed": seed, "n_resamples": n_resamples} for seed, n_resamples in cells]


def as_rows(rows: Iterable[Mapping[str, Any]], schema: Iterable[str], keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows with the columns of a schema: their own, and `keys` for those that they lack.

    Examples
    --------
    >>> as_rows([{"b": 2, "c": 3}], {"a": "int64", "b": "int64"}, {"a": 1, "d": 4})
    [{'a': 1, 'b': 2}]
    """
    return [{name: row[name] for name in schema} for row in ({**keys, **row} for row in rows)]


def as_columns(
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    schema: Mapping[str, str],
    keys: Mapping[str, Any] | None = None,
) -> pa.Table:
    """Rows or columns of a study as a table; NaN is null.

    Parameters
    ----------
    values
        Column name to array, or rows.
    schema
        The table's columns.
    keys
        Column name to the one value of all rows, for columns that `values` lack.
    """
    import pyarrow as pa

    from mtsig.io import arrow_schema

    shared = keys or {}
    own = [name for name in schema if name not in shared]
    if isinstance(values, Mapping):
        n_rows = len(next(iter(values.values())))
        columns = dict(values)
    else:
        n_rows = len(values)
        columns = {name: [row[name] for row in values] for name in own}
    columns |= {key: [value] * n_rows for key, value in shared.items()}
    typed = arrow_schema(schema)
    return pa.table(
        {field.name: pa.array(columns[field.name], type=field.type, from_pandas=True) for field in typed},
        schema=typed,
    )
