"""Entry of the rule `paper`."""

from mtsig.entry import run
from mtsig.steps.paper import paper

if __name__ == "__main__":
    run(paper, snakemake)  # noqa: F821 - Snakemake puts this name here
