"""examples/retries.py on few orders: all are sent in the end but those that were refused."""

import re

import retries as example


def test_orders_are_sent_in_the_end_and_the_refused_ones_named(capsys):
    example.main(60)
    printed = capsys.readouterr().out
    told = re.search(r"(\d+) receipts for 60 orders, in (\d+) calls", printed)
    assert told is not None
    assert int(told[1]) == 58
    assert int(told[2]) > 60, "some were made again"
    assert "put aside: 2, lately umbrella 57, umbrella 7" in printed
