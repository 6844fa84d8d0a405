"""examples/group_by.py on a short log: nothing that was spent is lost, whoever made room."""

import group_by as example


def test_all_that_was_spent_is_found_in_its_country(capsys):
    example.main(2_000)
    spent = dict.fromkeys(example.COUNTRIES, 0)
    for step in example.log(2_000):
        spent[example.COUNTRIES[step.visitor % 3]] += step.spent
    assert sum(spent.values()) > 0
    lines = [f"{country}: {sum_}" for country, sum_ in sorted(spent.items())]
    assert capsys.readouterr().out.splitlines() == lines


def test_a_session_ends_with_a_purchase_and_at_the_end():
    steps = [example.Step(7, "look"), example.Step(7, "pay", 5), example.Step(7, "look")]
    assert list(example.sessions(steps)) == [example.Session(7, 2, 5), example.Session(7, 1, 0)]
