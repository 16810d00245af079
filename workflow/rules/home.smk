"""Where the workflow lies, and what is to be asked of Snakemake itself. Other files ask only here.

Given: nothing. Made: `home`, `default_config`, `config_files`, `command_line`, `folder()`, `resolved()`, `targets()`,
`uses_conda()`, `unfinished()`, `run_lock`, `unsaid`; mtsig can be imported.
"""

import os
import re
import sys
from pathlib import Path

# Inside a module, `workflow.basedir` is the folder of the workflow that loads it.
home = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]

# Behind an installed mtsig, as in the jobs, so that both see the same one.
if str(home / "scripts") not in sys.path:
    sys.path.append(str(home / "scripts"))


def installed_home(source):
    """The folder of the installed workflow, if it is of the version that stands in `source`; else one message."""
    version = re.search('__version__ = "(.+)"', Path(source).read_text(encoding="utf-8"))[1]
    try:
        from mtsig import __version__ as installed
    except ImportError:
        installed = None
    if installed != version:
        sys.exit(
            f"error: this workflow comes from a git repository and needs mtsig {version} in the Python that runs Snakemake "
            f"({sys.executable}), which has {installed or 'none'}. Install it from the same place, with pip."
        )
    from mtsig.home import workflow_home

    return workflow_home()


# As a module from a git tag: Snakemake fetches rules and scripts one by one, and the rest comes with the package.
if not (home / "Snakefile").is_file():
    home = installed_home(workflow.source_path("../../scripts/mtsig/__init__.py"))

from mtsig.runlock import RunLock
from mtsig.unsaid import Unsaid

run_lock = RunLock.take(Path(".snakemake"))
unsaid = Unsaid.listen()

default_config = Path("config/config.yaml")
if not default_config.exists():
    default_config = home / default_config

command_line = workflow.config_settings.config

# As they are while this is read: later, Snakemake shows those of the workflow that loads this one.
path_variables = workflow.pathvars
with_prefix = workflow.modifier.path_modifier.replace_prefix


def default_is_used():
    """Whether the default study was loaded: not if the user or a workflow that loads this one brings another."""
    return default_config in workflow.configfiles


def config_files():
    """The files that the configuration comes from, as far as they are known."""
    return workflow.overwrite_configfiles or [default_config] * default_is_used()


def folder(name):
    """The folder behind <results> or <logs>."""
    return Path(with_prefix(path_variables.get(name)))


def targets():
    """The targets given on the command line, and the rules of the jobs that a spawned Snakemake is to run.

    Snakemake knows them once it looks for files to make, not yet when it reads this.
    """
    given = workflow.dag_settings
    return [] if given is None else [*map(str, given.targets), *(job.rulename for job in given.target_jobs)]


def uses_conda():
    """Whether the rules' own environments are used (--software-deployment-method conda)."""
    return any(str(method) == "conda" for method in workflow.deployment_settings.deployment_method)


def unfinished():
    """The files that this run was to make and has not made."""
    return {str(path) for job in workflow.dag.needrun_jobs() for path in job.output}


def resolved(paths):
    """Paths as they are on disk."""
    return [with_prefix(path_variables.apply(path)) for path in paths]
