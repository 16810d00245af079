"""Entry of the rules that put the parts of studies together."""

from mtsig.entry import run
from mtsig.steps.study_report import study_report

if __name__ == "__main__":
    run(study_report, snakemake)  # noqa: F821 - Snakemake puts this name here
