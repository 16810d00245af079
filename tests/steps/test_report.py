"""The step `report`: the page and its provenance."""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib

import numpy as np
import pytest
from mtsig import io
from mtsig.contracts import TABLES
from mtsig.io import read_json, read_table
from mtsig.report import page
from mtsig.report.browser import SegmentData, segment_blocks
from mtsig.report.results import read_results
from mtsig.steps.report import page_part, report
from simulated_results import HOSTILE_TEXTS, names, write_tree

SYSTEMS = [*names(4), "<i>&amp;</i>"]


def _settings(**changes):
    return {
        "seed": 12345,
        "report": {"title": "Is it <better>?"},
        "testsets": {"wmt23-en-de": {"metrics": None}},
        "metrics": {"bleu": {}, "ter": {}, "length_ratio": {}},
        "studies": {},
        **changes,
    }


def _part(folder, paths, *, notes=(), metrics=("bleu", "ter", "length_ratio")):
    whole = {name: paths[name][0] for name in ("segments", "hypotheses", "lint")}
    tables = {name: paths[name] for name in ("scores", "systems", "pairs", "groups")}
    page_part(**whole, **tables, notes=list(notes), metrics=list(metrics), part=folder / "page.json")
    return folder / "page.json"


def _report(folder, paths, *, study_files=(), suites=(), notes=(), **changes):
    settings = _settings(**changes)
    report(
        parts=[_part(folder, paths, notes=notes, metrics=settings["metrics"])],
        suite_systems=[systems for systems, _ in suites],
        suite_pairs=[pairs for _, pairs in suites],
        studies=list(study_files),
        settings=settings,
        digests={"test sets": {"wmt23-en-de": "0" * 64}},
        report=folder / "report.html",
        provenance=folder / "provenance.json",
    )
    return (folder / "report.html").read_text(encoding="utf-8")


def _data(html, name):
    found = re.findall(rf'<script type="application/octet-stream" class="{name}">([^<]*)</script>', html)
    return [json.loads(zlib.decompress(base64.b64decode(text))) for text in found]


def _seen_from(block, i, j):
    """The numbers of a pair with one of its systems in the row."""
    key = f"{min(i, j)},{max(i, j)}"
    turned = block["turned"][key] if i > j else {}
    return [turned.get(str(k), value) for k, value in enumerate(block["pairs"][key])]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    paths = write_tree(folder / "results" / "wmt23-en-de", SYSTEMS)
    return folder, paths, _report(folder, paths)


def test_names_and_texts_never_become_markup(tree):
    """B68: in names, titles, findings and segments."""
    html = tree[2]
    assert "alert(1)" not in re.sub(r'<script type="application/octet-stream".*?</script>', "", html, flags=re.S)
    assert "<i>&amp;</i>" not in html
    assert "&lt;i&gt;&amp;amp;&lt;/i&gt;" in html
    assert "has &lt;b&gt;nothing&lt;/b&gt; in segment 5" in html
    assert "Is it &lt;better&gt;?" in html


def test_nothing_is_fetched(tree):
    """The only addresses are the namespaces of SVG."""
    html = tree[2]
    assert set(re.findall(r"https?://[^\"' <]+", html)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "default-src 'none'" in html


def test_texts_and_scores_of_segments_are_those_of_the_tables(tree):
    """B40, B68: markup, ten thousand characters, text from right to left, nothing, and what looks like a number."""
    _, paths, html = tree
    (index,), blocks = _data(html, "index"), _data(html, "texts")
    assert index["total"] == len(index["segments"]) == 60
    assert index["references"] == ["refA", "refB"]
    for row in read_table(paths["hypotheses"][0]).to_pylist():
        texts = blocks[index["block"][row["segment"]]][index["at"][row["segment"]]]
        assert texts[2][index["systems"].index(row["system"])] == row["hypothesis"]
    for row in read_table(paths["segments"][0]).to_pylist():
        texts = blocks[index["block"][row["segment"]]][index["at"][row["segment"]]]
        assert texts[:2] == [row["source"], row["references"]]
    for path in paths["scores"]:
        for row in read_table(path).to_pylist():
            places = index["places"][row["metric"]]
            shown = index["scores"][row["metric"]][row["system"]][row["segment"]] / 10**places
            assert shown == pytest.approx(row["score"], abs=0.5 * 10**-places + 1e-12)


def test_numbers_of_the_page_are_those_of_the_tables(tree):
    _, paths, html = tree
    (metrics,) = _data(html, "numbers")
    for result in read_results(paths["systems"], paths["pairs"]):
        for row in result.systems:
            assert f'data-value="{row["score"]!r}"' in html
        block = metrics[result.metric]
        at = {label: i for i, label in enumerate(block["labels"])}
        for row in result.pairs:
            one, two = block["names"].index(row["system_a"]), block["names"].index(row["system_b"])
            values, mirrored = _seen_from(block, one, two), _seen_from(block, two, one)
            delta = float(values[at["Difference"]].replace("−", "-"))
            assert delta == pytest.approx(row["delta"], abs=0.5 * 10 ** -result.decimals_of(row) + 1e-12)
            assert delta == -float(mirrored[at["Difference"]].replace("−", "-"))
            if result.higher_is_better is not None:
                assert values[at["Resamples won by row"]] == mirrored[at["Resamples won by column"]]
                assert float(values[at["p (bootstrap, two-sided)"]].removeprefix("<= ")) == pytest.approx(
                    row["p_value"], abs=0.0005
                )


def test_intervals_are_drawn_to_scale(tree):
    """The whiskers of one metric are as long, and the points as far apart, as the table's numbers say."""
    _, paths, html = tree
    for result, table in zip(
        read_results(paths["systems"], paths["pairs"]),
        re.findall(r'<table class="plot">.*?</table>', html, re.S),
        strict=True,
    ):
        rows = re.findall(r'<i style="left:([\d.]+)%;width:([\d.]+)%"></i><b style="left:([\d.]+)%">', table)
        drawn = [tuple(map(float, row)) for row in rows]
        scale = (drawn[0][2] - drawn[-1][2]) / (result.systems[0]["score"] - result.systems[-1]["score"])
        for (left, width, at), row in zip(drawn, result.systems, strict=True):
            assert width == pytest.approx((row["ci_high"] - row["ci_low"]) * scale, abs=0.3)
            assert at - left == pytest.approx((row["score"] - row["ci_low"]) * scale, abs=0.3)


def test_the_same_results_give_the_same_bytes(tree, tmp_path):
    folder, paths, html = tree
    assert _report(tmp_path, paths) == html
    assert (tmp_path / "provenance.json").read_bytes() == (folder / "provenance.json").read_bytes()


def test_provenance_says_versions_seeds_digests_and_configuration(tree):
    provenance = read_json(tree[0] / "provenance.json")
    assert provenance["config"] == _settings()
    assert provenance["versions"]["numpy"]
    assert {row["metric"] for row in provenance["results"]} == {"bleu", "ter", "length_ratio"}
    assert all(row["seed"] == 12345 and row["n_resamples"] for row in provenance["results"])


def test_significant_never_stands_without_size_and_interval(tree):
    """In sentences about a system; legends and definitions name no system."""
    found = re.findall(r"<dd>([^<]*significantly better[^<]*)", tree[2])
    sentences = [sentence for sentence in found if any(name in sentence for name in SYSTEMS[:4])]
    assert sentences
    for sentence in sentences:
        assert re.search(r"[+-]\d[\d.]* \[.*\], p ", sentence), sentence


def test_what_is_missing_is_said(tmp_path, tree):
    """B80: metrics and studies that were not computed."""
    html = _report(
        tmp_path,
        tree[1],
        metrics={"bleu": {}, "ter": {}, "length_ratio": {}, "comet": {}},
        studies={"calibration": {"kind": "calibration"}},
    )
    assert "The metric comet was not computed here" in html
    assert "This study has not been run." in html


def test_what_a_neural_metric_notes_is_shown_with_its_name(tmp_path, tree):
    finding = {"level": "warning", "code": "truncated", "system": None, "segment": 3, "message": "segment 4: too long."}
    notes = tmp_path / "comet.json"
    notes.write_text(json.dumps({"testset": "wmt23-en-de", "metric": "comet-kiwi", "findings": [finding]}))
    assert "comet-kiwi: segment 4: too long." in _report(tmp_path, tree[1], notes=[notes])


def test_a_page_without_any_metric_builds(tmp_path, tree):
    paths = {**tree[1], "scores": [], "systems": [], "pairs": [], "groups": []}
    assert "No metric was computed here." in _report(tmp_path, paths, metrics={})


def test_one_system_builds(tmp_path):
    paths = write_tree(tmp_path / "results" / "wmt23-en-de", ["only"])
    html = _report(tmp_path, paths)
    assert "there is nothing to compare it with" in html
    assert "there are no pairs to test" in html


def test_studies_show_their_figures_and_tables(tmp_path, tree):
    folder = tmp_path / "results" / "studies" / "firm"
    row = {
        "study": "firm",
        "testset": "wmt23-en-de",
        "langpair": "en-de",
        "metric": "bleu",
        "system_a": "x & <y>",
        "system_b": "z",
        "choice_kind": "all",
        "base_winner": "z",
        "choices": 7,
        "agree": 5,
        "lost": 2,
        "gained": 0,
        "turned": 0,
        "share_agree": 5 / 7,
    }
    io.write_table(folder / "agreement.parquet", [row], TABLES["agreement"])
    figure = folder / "figures" / "agreement.svg"
    figure.parent.mkdir()
    figure.write_text('<svg xmlns="http://www.w3.org/2000/svg"><text>the picture</text></svg>', encoding="utf-8")
    files = [folder / "agreement.parquet", figure, folder / "agreement.md"]
    html = _report(tmp_path, tree[1], study_files=files, studies={"firm": {"kind": "robustness"}})
    assert "the picture" in html
    assert "z &gt; x &amp; &lt;y&gt;" in html
    assert ">5/7<" in html
    assert "has not been run" not in html
    assert "Area under the ROC curve" not in html
    html = _report(tmp_path, tree[1], studies={"find": {"kind": "roc", "qe": ["a"]}})
    guide = html.partition('id="guide"')[2].partition("</section>")[0]
    assert "<dt>Area under the ROC curve</dt>" in guide


def test_the_self_test_is_on_the_page(tree):
    assert re.search(r"(\d+) of \1 agree\.", tree[2])


def test_texts_beyond_the_limit_are_left_out_where_systems_differ_least():
    data = SegmentData(
        ids=["1", "2", "3"],
        documents=[None] * 3,
        domains=[None] * 3,
        sources=["a" * 10] * 3,
        references={},
        hypotheses={"x": ["b" * 10] * 3, "y": ["c" * 10] * 3},
        scores={"m": {"x": np.array([1.0, 5.0, 2.0]), "y": np.array([1.0, 1.0, 4.0])}},
    )
    index, _ = segment_blocks(data, limit=65)
    assert (index["total"], index["segments"], index["ids"]) == (3, [1, 2], ["2", "3"])


def test_parts_share_the_room_for_texts(tree, monkeypatch):
    """Every part keeps its first blocks; what small parts leave goes to the large one."""
    part = json.loads((tree[0] / "page.json").read_text())
    monkeypatch.setattr(page, "PAGE_BUDGET", 0)
    monkeypatch.setattr(page, "TEXT_MINIMUM", 100)
    parts = [{**part, "id": name, "texts": texts} for name, texts in {"a": ["x" * 10], "b": ["y" * 30] * 4}.items()]
    html = page.render(
        title="", parts=parts, studies=[], provenance=read_json(tree[0] / "provenance.json"), selftest=[], version=""
    )
    assert html.count("x" * 10) == 1
    assert html.count("y" * 30) == 3


def test_a_reader_can_sort_point_and_compare(tree):
    """In a real browser: sorting, the matrix by mouse and by keyboard, segments shown literally, no console error."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    problems = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(10_000)
        page.on(
            "console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "request",
            lambda request: None if request.url.startswith(("file:", "data:")) else problems.append(request.url),
        )
        page.goto((tree[0] / "report.html").as_uri())
        table = page.locator("table.sortable").first
        table.locator("thead button", has_text="ter").click()
        values = [float(cell.get_attribute("data-value")) for cell in table.locator("tbody td:nth-child(3)").all()]
        assert values == sorted(values)
        matrix = page.locator("table.matrix:visible").first
        matrix.locator("tbody tr").nth(1).locator("td").nth(0).hover()
        details = page.locator(".details")
        details.get_by_text("Difference", exact=True).wait_for()
        first = details.inner_text()
        matrix.locator("td[tabindex='0']").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("text => document.querySelector('.details').innerText !== text", arg=first)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        form = page.locator("form.compare").first
        form.locator("[name=order]").select_option("text")
        page.locator(".segment").first.wait_for()
        shown = page.locator(".segment").nth(0).inner_text()
        assert HOSTILE_TEXTS[0] in shown
        assert "(empty)" in page.locator(".segment").nth(4).inner_text()
        assert "(missing)" in page.locator(".segment").nth(5).inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.close()
    assert problems == []
