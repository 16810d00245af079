"""The checked settings, and the files of functions that all rules use.

Given: `config`, and what home.smk makes. Made: `settings`, which hold every key of the configuration with its default;
or one message and the end of the run.
"""

import re

from mtsig import config as configuration, provenance
from mtsig.errors import MtsigError
from mtsig.plan.plan import FIGURES, TABLES, Plan
from mtsig.plan.resources import Amounts
from mtsig.steps.preflight import preflight

schemas = home / "workflow" / "schemas"


def or_exit(function, *arguments, **options):
    """The function's value; or its message as the last line, without Snakemake's own lines around it."""
    try:
        return function(*arguments, **options)
    except MtsigError as error:
        sys.exit(f"error: {error}")


def checked():
    """The settings, once everything that can be known before any job is known to be right."""
    loaded = configuration.load(config, schemas, files=config_files(), command_line=command_line)
    # The shipped study brings its texts: they lie in the repository, wherever it is started from.
    if default_is_used() and default_config.is_absolute():
        loaded = configuration.anchor(loaded, schemas, home)
    preflight(loaded, folders=[folder("results"), folder("logs"), Path(".snakemake", "locks")])
    return loaded


def any_of(names):
    """A wildcard's pattern: these names and no others."""
    return "|".join(map(re.escape, names)) or "(?!)"


# An installed package goes before the one that lies here, if one does, in jobs too: changes of this one would do nothing.
if (home / "scripts" / "mtsig").is_dir() and not provenance.same_code(home / "scripts" / "mtsig"):
    print(
        f"warning: mtsig is installed in {Path(provenance.__file__).parent} and differs from {home / 'scripts' / 'mtsig'}. "
        f"The installed one runs. Install the other with: pip install -e {home}",
        file=sys.stderr,
    )

settings = or_exit(checked)
plan = Plan(settings, takes_part=lambda testset, metric: asked_for(metric) or has_scores(testset, metric))
grows, threads_for = Amounts(plan).grows, Amounts(plan).threads_for


wildcard_constraints:
    testset=any_of(settings["testsets"]),
    metric=any_of(settings["metrics"]),
    study=any_of(settings["studies"]),
    suite=any_of(settings["suites"]),


include: "lookups.smk"
include: "neural.smk"
include: "closing.smk"


# What the paper shows is known to be computed.
or_exit(lambda: (plan.paper_results, plan.paper_studies))
