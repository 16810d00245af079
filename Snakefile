"""Translation outputs in, statistical evidence out.

This file is the table of contents, and what other workflows load as a module (give it a `config:` there).
"""

import atexit

from snakemake.utils import min_version

min_version("9.17.2")


include: "workflow/rules/home.smk"


# The shipped study is for those who bring none: it never mixes with a configuration of one's own.
if not workflow.overwrite_configfiles:

    configfile: default_config


include: "workflow/rules/common.smk"
include: "workflow/rules/ingest.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/comet.smk"
include: "workflow/rules/resample.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/suites.smk"
include: "workflow/rules/paper.smk"


report: "workflow/report/workflow.rst"


onstart:
    run_lock.sign()


# Messages printed at exit stand below everything that Snakemake prints.
onerror:
    unsaid.job_failed = True
    atexit.register(print, failures(), file=sys.stderr)


onsuccess:
    atexit.register(print, closing(), file=sys.stderr)


atexit.register(print_unsaid)


rule all:
    default_target: True
    input:
        plan.all_files(),
