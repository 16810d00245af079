"""Entry of the rule `paper_studies`."""

from mtsig.entry import run
from mtsig.steps.paper_studies import paper_studies

if __name__ == "__main__":
    run(paper_studies, snakemake)  # noqa: F821 - Snakemake puts this name here
