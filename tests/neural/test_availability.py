"""What is in the way is said before any job, in one line (B75): tried on a hub of our own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from neural_setup import OFFLINE, REPOSITORY

#: Model to status and error code, as the hub's client reads them.
ANSWERS = {
    "someone/gated": (403, "GatedRepo"),
    "someone/nothing": (404, "RepoNotFound"),
    "someone/no-revision": (404, "RevisionNotFound"),
    "someone/no-model": (404, "EntryNotFound"),
}


class Hub(BaseHTTPRequestHandler):
    """Refuses every file, in the way that the model's name says."""

    def do_HEAD(self):
        model = "/".join(self.path.split("/")[1:3])
        status, code = ANSWERS.get(model, (200, ""))
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("X-Error-Message", f"refused for the test: {code}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def hub():
    server = HTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def check(comet_python, tmp_path):
    def ask(models: dict[str, str], *, local_files_only: bool = False, **environment: str):
        metrics = {name: {"model": model, "revision": None} for name, model in models.items()}
        finished = subprocess.run(
            [comet_python, str(REPOSITORY / "scripts" / "comet_score.py"), "--check"],
            input=json.dumps({"metrics": metrics, "local_files_only": local_files_only}),
            env={**os.environ, "HF_HOME": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return json.loads(finished.stdout)

    return ask


def test_every_refusal_of_the_hub_has_its_message(check, hub):
    problems = check({model.split("/")[1]: model for model in ANSWERS}, HF_ENDPOINT=hub)["problems"]
    gated, nothing, revision, entry = problems
    assert gated.startswith("metrics.gated: the model someone/gated is gated: accept its terms")
    assert "there is no model someone/nothing on the hub" in nothing
    assert "has no revision" in revision
    assert "is no COMET model" in entry


def test_no_network_is_said(check):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{unused.getsockname()[1]}"
        (problem,) = check({"comet": "Unbabel/wmt22-comet-da"}, HF_ENDPOINT=closed)["problems"]
    assert "metrics.comet: the model Unbabel/wmt22-comet-da is not in the local cache and the hub cannot be" in problem


@pytest.mark.parametrize(("option", "environment"), [(True, {}), (False, OFFLINE)])
def test_offline_the_network_is_not_asked(check, option, environment):
    (problem,) = check({"comet": "Unbabel/wmt22-comet-da"}, local_files_only=option, **environment)["problems"]
    assert "is not in the local cache, and the network is not to be used" in problem
    assert "huggingface-cli download Unbabel/wmt22-comet-da" in problem


def test_models_that_are_there_are_no_problem(check, checkpoints):
    found = check({"a": str(checkpoints / "reference-based"), "b": str(checkpoints / "unified/checkpoints/model.ckpt")})
    assert found["problems"] == []
    assert found["commits"] == {"a": None, "b": None}
    assert set(found["versions"]) == {"comet", "torch"}


def test_a_model_in_the_hub_s_cache_is_found_without_the_hub(check, checkpoints, tmp_path):
    """Its commit identifies it; a folder whose download was broken off does not count."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--someone--tiny"
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    (snapshot / "hparams.yaml").symlink_to(checkpoints / "reference-free" / "hparams.yaml")
    (problem,) = check({"kiwi": "someone/tiny"}, **OFFLINE)["problems"]
    assert "not in the local cache" in problem
    (snapshot / "checkpoints").symlink_to(checkpoints / "reference-free" / "checkpoints")
    found = check({"kiwi": "someone/tiny"}, **OFFLINE)
    assert found["problems"] == []
    assert found["commits"] == {"kiwi": commit}
