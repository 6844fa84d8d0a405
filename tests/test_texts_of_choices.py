"""Names in a message: few enough to read, and the names that are alike first."""

import pytest

from actors_rs.texts import did_you_mean, few, nearest, one_of

MANY = [f"stage_{n}" for n in range(45)]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "none"),
        (["a"], "a"),
        (list("abcdefgh"), "a, b, c, d, e, f, g, h"),
        (list("abcdefghij"), "a, b, c, d, e, f, g, h, 2 more"),
    ],
)
def test_a_message_names_eight_at_most_and_how_many_more_there_are(names, said):
    assert few(names) == said


@pytest.mark.parametrize(
    ("known", "got", "said"),
    [
        (["stop", "resume"], "wait", "one of 'stop', 'resume', got 'wait'"),
        (
            ["stop", "resume"],
            "resum",
            "one of 'stop', 'resume', got 'resum': did you mean 'resume'?",
        ),
        (["infer", None], 7, "one of 'infer', None, got 7"),
        ([*MANY, "map"], "mapp", "one of 46 names that the page lists, got 'mapp': did you mean"),
        (MANY, "xyz", "one of 45 names that the page lists, got 'xyz'"),
    ],
)
def test_a_choice_names_what_was_expected_what_came_and_what_may_be_meant(known, got, said):
    assert one_of(known, got, "the page").startswith(said)


def test_a_long_choice_without_a_page_names_the_alike_or_the_first():
    assert one_of(MANY, "stage_44").startswith("one of 45 names, got 'stage_44': did you mean")
    assert "'stage_7', 37 more, got 'xyz'" in one_of(MANY, "xyz")


@pytest.mark.parametrize("got", ["mapAsync", "MAP_ASYNC", "map_asnc"])
def test_case_underscores_and_slips_do_not_hide_a_name(got):
    assert nearest(got, ["map", "map_async", "merge"])[0] == "map_async"


def test_a_name_like_no_other_has_no_hint():
    assert did_you_mean(["map", None], "zip_latest") == did_you_mean(["map"], 7) == ""
