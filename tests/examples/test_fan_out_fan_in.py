"""examples/fan_out_fan_in.py on a small file: every order once, every bad line kept, right sums."""

import json

import fan_out_fan_in as example


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_order_is_priced_once_and_each_bad_line_is_kept(tmp_path, capsys):
    orders, out = tmp_path / "orders.csv", tmp_path / "deep" / "out"
    articles = sorted(example.CENTS)
    good = [f"{n},{articles[n % 3]},{n % 5}" for n in range(500)]
    bad = ["", "x,apples,1", "1,apples", "2,bread,many"]
    orders.write_text("\n".join([*good[:250], *bad, *good[250:]]) + "\n", encoding="utf-8")

    example.main(str(orders), str(out))

    assert lines_of(out / "rejected.jsonl") == bad
    priced = lines_of(out / "priced.jsonl")
    assert sorted(one["number"] for one in priced) == list(range(500))
    for one in priced:
        expected = example.CENTS[one["article"]] * (one["number"] % 5)
        assert one["cents"] == expected
    printed = capsys.readouterr().out
    assert "balance[out 0] -> map" in printed
    for article in articles:
        cents = sum(one["cents"] for one in priced if one["article"] == article)
        assert f"{article:10} {cents / 100:10.2f}" in printed


def test_a_second_run_of_the_same_graph_begins_anew(tmp_path):
    orders = tmp_path / "orders.csv"
    orders.write_text("1,apples,2\n", encoding="utf-8")
    made = example.graph(orders, tmp_path)
    assert made.run()[1] == {"apples": 80}
    assert made.run()[1] == {"apples": 80}
