"""What people do with the page, in a real browser: sort, filter, look in the dark, ask, press."""

import itertools
import json

import pytest

from actors_rs import RateLimit, Sink, Source
from actors_rs.observability.web import serve
from actors_rs.observability.web.report import report_html, report_of_json
from tests.graph.helpers import wait_until
from tests.observability.web.test_state import link, run, stage

pytestmark = pytest.mark.timeout(180)

CONTRAST = """(node) => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const bright = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const solid = (one) => {
    const colour = getComputedStyle(one).backgroundColor, found = parts(colour);
    return found.length < 4 || found[3] > 0.99 ? found : solid(one.parentElement);
  };
  const [one, two] = [bright(parts(getComputedStyle(node).color)), bright(solid(node))];
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}"""
"""Of a text against what is behind it, as WCAG defines it."""


@pytest.fixture
def saved(tmp_path):
    """A saved run of three stages as a page that needs no server."""
    stages = [
        stage("a", elements_out=300, window=16),
        stage("b", "map_async", elements_in=20, elements_out=20, window=16, busy=0.5),
        stage("c", elements_in=1000, window=16, dead_letters=2),
    ]
    report = report_of_json(json.dumps(run(*stages).as_dict()))
    report["points"] = [[0, 1.0, 2.0, 3, 4e6], [1, 5.0, 6.0, 70_000, 8e6], [2, 9.0, 10.0, 11, 12e6]]
    letter = {"number": 1, "at": 1e9, "where": "stage 'c'", "why": "resume", "what": "int"}
    report["letters"] = {
        "total": 2,
        "letters": [
            {**letter, "error": "ValueError: no price"},
            {**letter, "error": "KeyError: 'id'"},
        ],
    }
    file = tmp_path / "run.html"
    file.write_text(report_html(report))
    return file.as_uri()


def names(tab):
    return tab.locator("#stages tbody tr td:first-child button").all_inner_texts()


def test_a_click_on_a_column_sorts_the_other_way_and_then_not_at_all(tab, saved):
    tab.goto(saved)
    assert tab.evaluate(
        "(scroll => scroll.scrollWidth <= scroll.clientWidth)(document.querySelector('.scroll'))"
    ), "all columns fit 1,280 pixels"
    head = tab.locator("#stages th button").nth(1)
    assert names(tab) == ["a", "b", "c"]
    head.click()
    assert names(tab) == ["c", "b", "a"]
    head.click()
    assert names(tab) == ["a", "b", "c"]
    assert tab.get_attribute("#stages th >> nth=1", "aria-sort") == "ascending"
    head.click()
    assert tab.get_attribute("#stages th >> nth=1", "aria-sort") == "none"


@pytest.mark.parametrize(("width", "fits"), [(1280, False), (500, True), (390, False)])
def test_a_drawing_a_little_too_wide_is_made_to_fit_until_the_user_decides(
    tab, tmp_path, width, fits
):
    stages = [stage(name, window=16) for name in "abc"]
    graph = run(*stages, links=[link("a", "b"), link("b", "c")])
    file = tmp_path / "run.html"
    file.write_text(report_html(report_of_json(json.dumps(graph.as_dict()))))
    tab.set_viewport_size({"width": width, "height": 800})
    tab.goto(file.as_uri())
    assert tab.get_attribute("#fit", "aria-pressed") == str(fits).lower()
    tab.click("#fit")
    tab.set_viewport_size({"width": 800, "height": 800})
    assert tab.get_attribute("#fit", "aria-pressed") == str(not fits).lower()


def test_the_charts_show_the_newest_values_as_text_and_all_as_a_line(tab, saved):
    tab.goto(saved)
    charts = tab.locator("#charts .chart")
    assert "out of sources 9/s, into sinks 10/s" in charts.nth(0).inner_text()
    assert "11 elements" in charts.nth(1).inner_text()
    assert "12.0 MB" in charts.nth(2).inner_text()
    assert "at most 12.0 MB" in charts.nth(2).inner_text()
    line = charts.nth(1).locator("path.line").get_attribute("d")
    heights = [float(part.split()[1]) for part in line.replace("L", "M").split("M")[1:]]
    assert len(heights) == 3
    assert heights[1] == min(heights), "the highest demand is the highest point"


def test_the_filter_of_dead_letters_looks_into_all_columns(tab, saved):
    tab.goto(saved)
    tab.fill("#filter", "PRICE")
    assert tab.locator("#letters tbody tr").all_inner_texts()[0].endswith("no price")
    assert tab.locator("#letters tbody tr").count() == 1
    tab.fill("#filter", "stage 'c'")
    assert tab.locator("#letters tbody tr").count() == 2
    tab.fill("#filter", "nothing")
    assert tab.inner_text("#letters tbody") == "No dead letter fits the filter."


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_texts_can_be_read_in_dark_and_light(tab, saved, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.goto(saved)
    brightness = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (brightness == "rgb(18, 22, 29)") == (scheme == "dark")
    tab.locator("#stages button:has-text('b')").nth(-1).click()
    shown = ("h2", "#sentence", ".hint", "th button", "td", "td.bad", "td button", "#panel dt", "a")
    for place in shown:
        for one in tab.locator(f"{place}:visible").all()[:4]:
            assert one.evaluate(CONTRAST) >= 4.5, f"{place}: {one.inner_text()}"


def test_nothing_scrolls_sideways_on_a_phone_with_a_panel_and_a_question_open(system, tab):
    tab.set_viewport_size({"width": 390, "height": 844})
    flow = Source.from_iterable(itertools.count()).named("a source with a very long name " * 3)
    going = system.start(flow.to(Sink.ignore()))
    with serve(system) as page:
        tab.goto(page.url)
        tab.locator("#stages tbody button").first.click()
        tab.click("#panel button:has-text('Pause')")
        for place in ("document.documentElement", "document.getElementById('panel')"):
            assert tab.evaluate(f"{place}.scrollWidth <= {place}.clientWidth"), place
        assert tab.locator("#ask").bounding_box()["width"] <= 390
        tab.keyboard.press("Escape")
        assert tab.locator("#ask[open]").count() == 0
        assert tab.locator("#panel").is_visible(), "the first Escape answers the question alone"
        assert not going._scope.stages()[0].paused
    going.cancel()


def answered(tab, button, answer, value=None):
    """Press ``button``, and ``answer`` the one question that it asks."""
    tab.click(button)
    tab.wait_for_selector("#ask[open]")
    if value is not None:
        tab.fill("#ask input", value)
    tab.click(f"#ask button:has-text('{answer}')")
    assert tab.locator("#ask[open]").count() == 0


def events(tab):
    return tab.locator("#log tbody td:nth-child(2)").all_inner_texts()


def test_each_control_asks_once_acts_on_yes_alone_and_is_in_the_log(system, tab):
    numbers = Source.from_iterable(itertools.count()).named("numbers")
    flow = numbers.throttle(RateLimit(50, 1.0)).named("limit").map_async(abs, 2).named("calls")
    going = system.start(flow.to(Sink.ignore()))
    controls = [
        ("numbers", "Pause", "pause", None),
        ("numbers", "Resume", "resume", None),
        ("limit", "Rate…", "rate", "5000"),
        ("calls", "Parallelism…", "parallelism", "4"),
    ]
    with serve(system) as page:
        tab.goto(page.url)
        seen = ["run started"]
        for name, title, event, value in controls:
            tab.click(f"#stages tbody button:text-is('{name}')")
            button = f"#panel button:has-text('{title}')"
            answered(tab, button, "No")
            answered(tab, button, "Yes", value)
            seen.insert(0, event)
            tab.wait_for_function(
                f"document.querySelectorAll('#log tbody tr').length === {len(seen)}"
            )
            assert events(tab) == seen
            tab.keyboard.press("Escape")
        stages = {one.name: one.logic for one in going._scope.stages()}
        wait_until(lambda: stages["calls"].details()["parallelism"] == 4)
        wait_until(lambda: stages["limit"].limit.n / stages["limit"].limit.per == 5000)
        answered(tab, "#drain", "No")
        assert going.state == "running"
        answered(tab, "#drain", "Yes")
        wait_until(going.done)
        tab.wait_for_function("document.getElementById('state').textContent === 'completed'")
        assert events(tab) == ["run ended", "drain", *seen]
    assert "to 5000" in tab.inner_text("#log")


def test_cancel_asks_once_and_is_in_the_log(system, tab):
    going = system.start(Source.from_iterable(itertools.count()).to(Sink.ignore()))
    with serve(system) as page:
        tab.goto(page.url)
        answered(tab, "#cancel", "No")
        assert going.state == "running"
        answered(tab, "#cancel", "Yes")
        wait_until(going.done)
        tab.wait_for_function("document.getElementById('state').textContent === 'cancelled'")
        assert events(tab) == ["run ended", "cancel", "run started"]
