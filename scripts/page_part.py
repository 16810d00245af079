"""Entry of the rule `page_part`."""

from mtsig.entry import run
from mtsig.steps.report import page_part

if __name__ == "__main__":
    run(page_part, snakemake)  # noqa: F821 - Snakemake puts this name here
