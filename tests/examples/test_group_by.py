"""examples/group_by.py on few sales: each in its shop's files once, and the sums are theirs."""

import json
from collections import Counter

import group_by as example


def test_every_sale_is_in_one_file_of_its_shop_and_in_the_sum(tmp_path, capsys):
    example.main(3000, tmp_path / "sales")
    written: Counter[str] = Counter()
    lines = 0
    for file in (tmp_path / "sales").iterdir():
        for line in file.read_text().splitlines():
            sale = json.loads(line)
            assert file.name.startswith(f"{sale['shop']}.")
            written[sale["shop"]] += sale["cents"]
            lines += 1
    expected: Counter[str] = Counter()
    for sale in example.sales(3000):
        expected[sale["shop"]] += sale["cents"]
    assert lines == 3000
    assert written == expected
    printed = capsys.readouterr().out
    assert all(f"{shop:8} {cents / 100:10.2f}" in printed for shop, cents in expected.items())
    assert f"3000 sales in {example.SHOPS} shops" in printed
