"""examples/rate_limiting.py on short lists: every name once, and the change is made on the way."""

import rate_limiting as example


def test_every_name_is_looked_up_once_and_the_rate_is_halved_on_the_way(capsys):
    example.main(30)
    printed = capsys.readouterr().out
    expected = [sum(len(f"{kind} {n}") for n in range(1, 31)) for kind in ("customer", "supplier")]
    assert f"60 names looked up, answers {expected[0]} and {expected[1]}" in printed
    assert printed.count("half the rate") == 1
    assert "RateLimit(200, per=1, burst=8)" in printed
