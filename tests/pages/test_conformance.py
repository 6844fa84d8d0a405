"""The page of what the kit finds is what the kit finds."""

from tests.pages.conformance import PAGE, page


def test_the_page_of_conformance_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.pages.conformance"
