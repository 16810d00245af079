"""Where the workflow lies, and what is to be asked of Snakemake itself. Other files ask only here.

Given: nothing. Made: `home`, `default_config`, `config_files`, `command_line`, `folder()`, `resolved()`; mtsig can be
imported.
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

config_files = workflow.overwrite_configfiles or [default_config]
command_line = workflow.config_settings.config


def folder(name):
    """The folder behind <results> or <logs>."""
    return Path(workflow.pathvars.get(name))


def resolved(paths):
    """Paths as they are on disk."""
    return [workflow.pathvars.apply(path) for path in paths]
