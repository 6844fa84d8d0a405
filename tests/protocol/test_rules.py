"""The rules as data are whole, and what they say about their checks is true."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from actors_rs.errors import InvalidArgumentError
from actors_rs.protocol.rules import CHANGES, GLOSSARY, MONITOR, RULES, rule
from tests.pages.rules import PAGE, page

ROOT = Path(__file__).resolve().parents[2]
HOW_MANY = {"Publisher": 11, "Subscriber": 13, "Subscription": 17, "Processor": 2}


def test_every_rule_of_the_standard_is_there_once_and_in_its_order():
    ids = [
        f"{chapter}.{n}"
        for chapter, count in enumerate(HOW_MANY.values(), start=1)
        for n in range(1, count + 1)
    ]
    assert [known.id for known in RULES] == ids
    assert Counter(known.side for known in RULES) == HOW_MANY


def test_a_rule_is_found_by_its_number():
    assert rule("3.9").side == "Subscription"
    assert all(rule(known.id) is known for known in RULES)
    with pytest.raises(InvalidArgumentError, match=r"1\.1 to 4\.2, got '5\.1'"):
        rule("5.1")


def test_what_is_optional_or_recommended_is_not_called_binding():
    levels = {
        level: {known.id for known in RULES if known.level == level} for level in ("SHOULD", "MAY")
    }
    assert levels["SHOULD"] == {"2.2", "3.4"}
    assert levels["MAY"] == {"1.2", "1.10", "1.11", "3.10", "3.11", "3.14", "4.2"}


@pytest.mark.parametrize("known", RULES, ids=lambda known: known.id)
def test_each_rule_says_what_why_and_how_in_sentences(known):
    for text in (known.text, known.intent, known.how):
        assert text[-1] == "."
        assert "  " not in text


@pytest.mark.parametrize("known", RULES, ids=lambda known: known.id)
def test_each_place_that_checks_a_rule_exists(known):
    for check in known.checks:
        if check != MONITOR:
            file, _, test = check.partition("::")
            tree = ast.parse((ROOT / file).read_text("utf-8"))
            assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_only_what_nobody_can_observe_is_checked_nowhere():
    assert [known.id for known in RULES if not known.checks] == ["2.2", "2.11", "3.4"]


def test_words_and_changes_are_told_once_each():
    assert len({term.word for term in GLOSSARY}) == len(GLOSSARY) == 10
    assert len({change.topic for change in CHANGES}) == len(CHANGES)


def test_the_page_of_rules_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.pages.rules"
