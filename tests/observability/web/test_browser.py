"""The page in a real browser: headless Chromium, where the machine has one."""

import itertools
import json
import os
import statistics

import pytest

from actors_rs import Graph, Sink, Source
from actors_rs.observability.web import serve
from actors_rs.observability.web.report import report_html, report_of_json
from tests.graph.helpers import wait_until
from tests.observability.web.conftest import endless
from tests.observability.web.test_state import link, run, stage

pytestmark = pytest.mark.timeout(180)


def test_the_drawing_updates_while_the_run_goes_on(system, tab):
    going = system.start(endless())
    with serve(system) as page:
        tab.goto(page.url)
        tab.wait_for_selector("#graph .box >> nth=1")
        first = tab.inner_text("#stages tbody tr >> nth=0 >> td >> nth=2")
        tab.wait_for_function("Page.refreshes > 4")
        assert tab.inner_text("#stages tbody tr >> nth=0 >> td >> nth=2") != first
        assert tab.locator("#graph .link").count() == 1
    going.cancel()


def test_drain_asks_once_and_ends_the_run(system, tab):
    going = system.start(endless())
    with serve(system) as page:
        tab.goto(page.url)
        tab.click("#drain")
        tab.click("#ask button:has-text('No')")
        assert going.state == "running"
        tab.click("#drain")
        tab.click("#ask .yes")
        assert going.wait(30)
        tab.wait_for_function("document.getElementById('state').textContent === 'completed'")
        assert tab.locator("#drain").count() == 0
        assert "drain" in tab.inner_text("#log")


def test_the_page_says_that_the_system_drains_and_stays_up_to_date(system, tab):
    going = system.start(endless())
    with serve(system) as page:
        tab.goto(page.url)
        tab.wait_for_selector("#graph .box >> nth=1")
        assert tab.locator("#connection").is_hidden()
        system.drain()
        tab.wait_for_selector("#connection:has-text('the system drains')")
        assert going.wait(30)
        tab.wait_for_function("document.getElementById('state').textContent === 'completed'")
        assert tab.inner_text("#connection") == "the system drains"


def test_names_of_stages_and_errors_are_text(system, tab):
    name = "<script>document.title='broken'</script><img src=x onerror=alert(1)>"

    def fails(number):
        raise ValueError(name)

    graph = Source.of(1).map(fails).named(name).on_failure("resume").to(Sink.list())
    with serve(system) as page:
        wait_until(system.start(graph).done)
        tab.goto(page.url)
        tab.click("#stages tbody tr >> nth=1 >> button")
        assert tab.inner_text("#panel-name") == name
        tab.wait_for_selector("#letters td:has-text('alert(1)')")
        assert tab.locator("main img, main script, #panel img, #panel script").count() == 0
        assert tab.title() != "broken"


def _is_loaded():
    return "PYTEST_XDIST_WORKER" in os.environ or os.getloadavg()[0] > (os.cpu_count() or 1)


@pytest.mark.skipif(_is_loaded(), reason="times mean nothing on a loaded machine")
def test_five_hundred_stages_are_refreshed_within_100_ms(tab, tmp_path):
    report = report_of_json(json.dumps(_snapshot_of_stages(500)))
    file = tmp_path / "run.html"
    file.write_text(report_html(report))
    tab.goto(file.as_uri())
    assert tab.locator("#graph .box").count() == 500
    times = tab.evaluate(
        """async (run) => {
          const times = [];
          for (let round = 1; round < 16; round += 1) {
            const stages = run.stages.map((stage, at) => (
              { ...stage, in: round * 1000 + at, out: round * 999, busy: ((at + round) % 9) / 9 }));
            const began = performance.now();
            Page.show({ run: { ...run, seconds: round, stages } });
            document.body.getBoundingClientRect(); // the layout counts
            times.push(performance.now() - began);
            await new Promise(requestAnimationFrame);
          }
          return times;
        }""",
        report["run"],
    )
    assert statistics.median(times) < 100, times


def test_ten_thousand_partitions_are_a_grid(tab, tmp_path):
    report = report_of_json(json.dumps(_snapshot_of_one_stage()))
    table = report["run"]["stages"][0]
    table["partitions"] = "d" * 6000 + "r" * 8 + "t" + "p" + "w" * 3990
    table["attempts"] = "1" * 6008 + "3" + "9" + "0" * 3990
    table["ledger"] = [
        {"run": 1, "start": 2, "state": "failed", "started": 1e9, "ended": 1e9 + 60,
         "error": "<b>disk</b>", "partitions": 10_000, "committed": 4, "done": 0, "rows": 40},
    ]  # fmt: skip
    file = tmp_path / "run.html"
    file.write_text(report_html(report))
    tab.goto(file.as_uri())
    heading = tab.inner_text("#grids h3")
    assert "3990 waiting, 8 running, 1 tried again, 6000 done, 1 poison" in heading
    hint = tab.inner_text("#grids .hint")
    assert hint == "Partitions with 9 or more attempts: 6009; 3 attempts: 6008"
    row = tab.inner_text("#grids tbody tr")
    assert "failed" in row
    assert "4/10000" in row
    assert "<b>disk</b>" in row
    assert tab.evaluate("Page.lastRefresh") < 500 or _is_loaded()


def _snapshot_of_one_stage():
    return run(stage("table", "spark"), state="completed").as_dict()


def _snapshot_of_stages(number):
    stages = [stage(f"stage {at}", window=16) for at in range(number)]
    links = [link(f"stage {at}", f"stage {at + 1}") for at in range(number - 1)]
    return run(*stages, links=links).as_dict()


def test_a_saved_report_shows_the_run_without_a_server(system, tab, tmp_path):
    going = system.start(Source.of(1, 2).map(abs).named("twice").to(Sink.list()))
    wait_until(going.done)
    file = tmp_path / "run.html"
    file.write_text(report_html(report_of_json(json.dumps(going.snapshot().as_dict()))))
    tab.goto(file.as_uri())
    assert tab.locator("#graph .box").count() == 3
    assert tab.inner_text("#state") == "completed"
    tab.click("#stages button:has-text('twice')")
    assert tab.inner_text("#panel-name") == "twice"


def test_it_is_used_by_keyboard_alone(system, tab):
    going = system.start(endless())
    with serve(system) as page:
        tab.goto(page.url)
        tab.focus("#graph .box >> nth=0")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#panel >> text=Pause")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#ask[open]")
        tab.focus("#ask .yes")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#panel >> text=Resume")
        tab.keyboard.press("Escape")
        assert tab.locator("#panel").is_hidden()
        tab.focus("#stages th button >> nth=1")
        tab.keyboard.press("Enter")
        assert tab.get_attribute("#stages th >> nth=1", "aria-sort") == "descending"
    going.cancel()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_never_wider_than_the_screen(system, browser, width):
    flow = Source.from_iterable(itertools.count()).broadcast(2)
    name = "a long name of a stage " * 4
    graph = Graph(*(one.map(abs).named(name).to(Sink.ignore()) for one in flow))
    going = system.start(graph)
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme="dark")
    with serve(system) as page:
        tab = context.new_page()
        tab.goto(page.url)
        tab.wait_for_selector("#graph .box >> nth=2")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    going.cancel()


def test_a_paused_source_is_shown_so(system, tab):
    going = system.start(endless())
    with serve(system) as page:
        tab.goto(page.url)
        tab.click("#stages button:has-text('numbers')")
        tab.click("#panel >> text=Pause")
        tab.click("#ask .yes")
        tab.wait_for_selector("#graph .box >> text=paused", state="attached")
        wait_until(lambda: going._scope.stages()[0].paused)
    going.cancel()
