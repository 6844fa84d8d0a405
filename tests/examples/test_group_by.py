"""examples/group_by.py: each sale is in its shop's files once, and the sums are theirs."""

import json
from collections import Counter

import group_by as example


def test_every_sale_is_in_one_file_of_its_shop_and_in_the_sum(tmp_path):
    sums: Counter[str] = Counter()
    for shop, cents in example.graph(tmp_path).run():
        sums[shop] += cents
    written: Counter[str] = Counter()
    lines = 0
    for file in tmp_path.iterdir():
        for line in file.read_text().splitlines():
            sale = json.loads(line)
            assert file.name.startswith(f"{sale['shop']}.")
            written[sale["shop"]] += sale["cents"]
            lines += 1
    expected: Counter[str] = Counter()
    for sale in example.sales():
        expected[sale["shop"]] += sale["cents"]
    assert lines == example.SALES
    assert written == sums == expected
