"""The page of events says what the code does, and every event of the page is told somewhere."""

import re
from pathlib import Path

from actors_rs.runtime.eventing.kinds import EVENTS
from tests.pages.events import PAGE, page

PACKAGE = Path(__file__).resolve().parents[2] / "actors_rs"


def test_the_page_is_made_of_the_events():
    assert PAGE.read_text() == page(), "python -m tests.pages.events"


def test_the_code_tells_the_events_of_the_page_and_no_others():
    told = re.compile(r'"((?:run|stage|element|partition|actor)_[a-z_]+)"')
    places = ["engine/run_events.py", "engine/member.py", "engine/sections/section.py"]
    places += ["spark/supervised.py", "runtime/supervision/supervisor.py"]
    found = {name for place in places for name in told.findall((PACKAGE / place).read_text())}
    assert set(EVENTS) <= found
