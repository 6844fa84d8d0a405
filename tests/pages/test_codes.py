"""tests/pages/codes.py: the page shows the codes that the package has."""

from tests.pages.codes import PAGE, page


def test_the_page_is_what_the_package_says_now():
    again = "docs/reference/codes.md is out of date: python -m tests.pages.codes"
    assert PAGE.read_text(encoding="utf-8") == page(), again
