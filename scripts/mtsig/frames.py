"""Results as pandas frames, for notebooks. Nothing else of mtsig uses pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtsig.errors import UnavailableError
from mtsig.io import StrPath, read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_frame"]


def read_frame(path: StrPath) -> pd.DataFrame:
    """Read a results table into a frame with nullable types.

    What is null in the table is ``<NA>`` in the frame, so that whole numbers and truth values stay what they are and an
    undefined score is never mistaken for a number.

    Parameters
    ----------
    path
        A Parquet file of a results folder.

    Returns
    -------
    pandas.DataFrame
        With the columns that results/README.md describes, in their order.

    Raises
    ------
    InputError
        If the file is missing or no Parquet file.
    UnavailableError
        If pandas is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import mtsig
    >>> from mtsig.contracts import scores_schema
    >>> from mtsig.io import write_table
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mine.parquet")
    >>> keys = {"testset": "demo", "langpair": "en-de", "metric": "mine", "system": "A"}
    >>> write_table(path, [{**keys, "segment": 0, "score": None, "value": None}], scores_schema(("value",)))
    >>> mtsig.read_frame(path).loc[0, "score"]
    <NA>
    """
    try:
        import pandas as pd
    except ImportError:
        raise UnavailableError("read_frame needs pandas. Install it with: pip install 'mtsig[frames]'") from None
    table = read_table(path)
    nullable = {
        "int64": pd.Int64Dtype(),
        "double": pd.Float64Dtype(),
        "bool": pd.BooleanDtype(),
        "string": pd.StringDtype(),
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=lambda kind: nullable.get(str(kind)))
    return frame
