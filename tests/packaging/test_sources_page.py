"""The page that goes through the sources names commands, options and studies that exist."""

from __future__ import annotations

import re
import shlex

import mtsig
import pytest
import typer.main
from mtsig.cli.app import app_of

COMMAND = re.compile(r"`(mtsig [a-z]+ ?[^`]*)`")


@pytest.fixture(scope="module")
def page(request):
    return (request.config.rootpath / "docs" / "sources.md").read_text(encoding="utf-8")


def test_commands_and_their_options_exist(page):
    commands = typer.main.get_command(app_of(None)).commands
    found = COMMAND.findall(page)
    assert len(found) > 40
    for line in found:
        _, name, *words = shlex.split(line)
        known = {option for parameter in commands[name].params for option in parameter.opts}
        assert {word for word in words if word.startswith("-") and len(word) > 1} <= known, line


def test_metrics_options_studies_and_names_exist(page, request):
    from mtsig.cli.texts import metrics

    for text in set(re.findall(r"-m ([\w+]+[^ `]*)", page)):
        if not text.startswith("function") and text.partition(":")[0] not in ("exact_match_rate", "comet_score"):
            metrics([text], "en-de")
    for study in re.findall(r"mtsig run (config/\S+\.yaml)", page):
        assert (request.config.rootpath / study).is_file()
    for name in re.findall(r"`mtsig\.(\w+)`", page):
        assert name in mtsig.__all__
    for link in re.findall(r"\]\(([^)#]+)\)", page):
        assert (request.config.rootpath / "docs" / link).exists(), link
