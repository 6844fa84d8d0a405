"""``python -m tests.pages.pictures``: pictures of a run, into ``docs/pictures``.

A graph with a slow stage runs. Headless Chromium looks at its page, light, dark and narrow. The
live table is exported as it is painted on a terminal.
"""

from __future__ import annotations

import io
import itertools
import re
import shutil
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from actors_rs import ActorSystem, Graph, Run, Sink, Source
from actors_rs.observability.rendering import rendered
from actors_rs.observability.web import serve

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
VIEWS: dict[str, dict[str, Any]] = {
    "page-light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "page-dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "page-narrow": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
SECONDS = 6.0
"""For the charts to have something to show."""


def enrich(order: int) -> dict[str, int]:
    time.sleep(0.004)
    return {"order": order, "price": 3 * order}


def orders() -> Graph[Any]:
    source = Source.from_iterable(itertools.count).named("orders")
    good, bad = (
        source.map_async(enrich, 8)
        .named("enrich")
        .partition(2, lambda order: order["order"] % 50 == 0)
    )
    return Graph(
        good.batch(100, within=0.5).named("batches").to(Sink.ignore().named("database")),
        bad.map(lambda order: order["order"]).named("rejected").to(Sink.count().named("log")),
    )


def live_table(run: Run[Any]) -> str:
    """The live table of ``run`` as an SVG that loads nothing; takes a second."""
    before = run.snapshot()
    time.sleep(1.0)
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(rendered(run.snapshot(), before))
    svg = console.export_svg(title="actors-rs run shop:orders --live")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chrome")
    system = ActorSystem(name="shop", cancel_grace=0.5)
    with serve(system) as page:
        run = system.start(orders())
        time.sleep(SECONDS)
        (FOLDER / "live-table.svg").write_text(live_table(run), encoding="utf-8")
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name, view in VIEWS.items():
                tab = browser.new_page(**view)
                tab.goto(page.url)
                tab.wait_for_selector("#graph .box >> nth=4", state="attached")
                tab.wait_for_timeout(1500)
                tab.screenshot(path=FOLDER / f"{name}.png")
            browser.close()
    system.shutdown(drain=False)


if __name__ == "__main__":
    main()
