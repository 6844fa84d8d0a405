"""The page of what the kit finds is what the kit finds."""

from tools.make_conformance_page import PAGE, page


def test_the_page_of_conformance_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run: python -m tools.make_conformance_page"
