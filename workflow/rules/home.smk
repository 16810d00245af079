"""Where the workflow lies, and what is to be asked of Snakemake itself. Other files ask only here.

Given: nothing. Made: `home`, `default_config`, `config_files`, `command_line`, `folder()`, `resolved()`, `targets()`,
`uses_conda()`; mtsig can be imported.
"""

import os
import sys
from pathlib import Path

# Inside a module, `workflow.basedir` is the folder of the workflow that loads it.
home = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]

# Behind an installed mtsig, as in the jobs, so that both see the same one.
if str(home / "scripts") not in sys.path:
    sys.path.append(str(home / "scripts"))

default_config = Path("config/config.yaml")
if not default_config.exists():
    default_config = home / default_config

command_line = workflow.config_settings.config


def default_is_used():
    """Whether the default study was loaded: not if the user or a workflow that loads this one brings another."""
    return default_config in workflow.configfiles


def config_files():
    """The files that the configuration comes from, as far as they are known."""
    return workflow.overwrite_configfiles or [default_config] * default_is_used()


def folder(name):
    """The folder behind <results> or <logs>."""
    return Path(workflow.pathvars.get(name))


def targets():
    """The targets given on the command line, and the rules of the jobs that a spawned Snakemake is to run.

    Snakemake knows them once it looks for files to make, not yet when it reads this.
    """
    given = workflow.dag_settings
    return [] if given is None else [*map(str, given.targets), *(job.rulename for job in given.target_jobs)]


def uses_conda():
    """Whether the rules' own environments are used (--software-deployment-method conda)."""
    return any(str(method) == "conda" for method in workflow.deployment_settings.deployment_method)


def resolved(paths):
    """Paths as they are on disk."""
    return [workflow.pathvars.apply(path) for path in paths]
