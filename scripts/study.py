"""Entry of the rules that are called like the kinds of studies."""

from mtsig.entry import run
from mtsig.steps.study import study

if __name__ == "__main__":
    run(study, snakemake)  # noqa: F821 - Snakemake puts this name here
