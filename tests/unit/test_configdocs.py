"""The reference of configuration keys."""

from __future__ import annotations

from mtsig.configdocs import markdown


def test_page_is_in_step(repository):
    """config/README.md says what the schemas say."""
    written = (repository / "config" / "README.md").read_text(encoding="utf-8")
    remedy = "run: python -m mtsig.configdocs workflow/schemas > config/README.md"
    assert written == markdown(repository / "workflow" / "schemas"), remedy


def test_every_key_has_a_description(repository):
    """No row of the reference is without a meaning or values."""
    rows = [line for line in markdown(repository / "workflow" / "schemas").splitlines() if line.startswith("| `")]
    assert len(rows) > 20
    for row in rows:
        _, _, values, _, meaning, _ = (cell.strip() for cell in row.replace("\\|", "").split("|"))
        assert values, row
        assert meaning.endswith((".", ".)", "?")), row
