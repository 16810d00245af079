"""Places and environment of the tests with a real COMET."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
#: No test asks a network for a model; threads do not spin while others work.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONWARNINGS": "ignore",
}
