"""What differs between the plan that a ledger was made for and the plan of a run, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from actors_rs.delivery.ledger import Plan

__all__ = ["SparkPlan"]

_SETTINGS = re.compile(r"^Spark \S+\ndefault parallelism \d+$", re.MULTILINE)
_SETTING = re.compile(r"(Spark|default parallelism|spark\.[\w.]+) (.*)")
_FILE = re.compile(r"[A-Za-z][\w+.-]*:/")
_TREE = " :+-"
_BEFORE, _SHOWN = 40, 160
"""Characters shown of a long line, including the characters before the first difference."""
_MOST = 3


class SparkPlan(Plan):
    """A plan whose text has the query, its files, its settings, and how Spark dealt the rows."""

    def difference(self, there: Plan) -> str:
        now, then = _parts(self.plan), _parts(there.plan)
        differences = [self.shape_difference(there)] if self.shape_difference(there) else []
        differences += _queries(then.query, now.query) or _caches(there.remarks, self.remarks)
        differences += _files(then.files, now.files)
        differences += _settings(then.settings, now.settings)
        if not differences and then.dealt != now.dealt:
            differences.append(_dealt(then.dealt, now.dealt))
        return "; ".join(differences) or (
            "its plan differs in the layout of the text alone: schema, number of partitions, "
            "query, files and settings read the same"
        )


@dataclass(frozen=True, slots=True)
class _Parts:
    """The text of a plan, taken to pieces."""

    query: list[str]
    files: set[str]
    settings: dict[str, str]
    dealt: list[str]


def _parts(text: str) -> _Parts:
    found = _SETTINGS.search(text)
    head, tail = (text, "") if found is None else (text[: found.start()], text[found.start() :])
    lines = [line for line in head.splitlines() if line.strip()]
    settings, dealt = {}, []
    for line in tail.splitlines():
        setting = _SETTING.fullmatch(line)
        if setting is None:
            dealt.append(line)
        else:
            settings[setting[1]] = setting[2]
    files = {line for line in lines if _FILE.match(line)}
    return _Parts([line for line in lines if line not in files], files, settings, dealt)


def _queries(then: list[str], now: list[str]) -> list[str]:
    for lines in zip_longest(then, now, fillvalue=""):
        if lines[0] != lines[1]:
            old, new = _around(*(line.lstrip(_TREE) for line in lines))
            return [f"the query in the ledger has {old}, that of this run {new}"]
    return []


def _around(old: str, new: str) -> tuple[str, str]:
    """Both lines from a little before where they begin to differ."""
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    start = max(0, same - _BEFORE) if max(len(old), len(new)) > _SHOWN else 0
    return _quoted(old, start), _quoted(new, start)


def _quoted(line: str, start: int) -> str:
    if not line:
        return "no such step"
    shown = line[start : start + _SHOWN]
    return f"`{'...' if start else ''}{shown}{'...' if start + _SHOWN < len(line) else ''}`"


def _files(then: set[str], now: set[str]) -> list[str]:
    return [
        *_named("the plan in the ledger reads", sorted(then - now), ", which this run does not"),
        *_named("this run reads", sorted(now - then), ", which the plan in the ledger does not"),
    ]


def _named(begin: str, files: list[str], end: str) -> Iterator[str]:
    if files:
        more = f" and {len(files) - _MOST} more" if len(files) > _MOST else ""
        yield f"{begin} {', '.join(files[:_MOST])}{more}{end}"


def _settings(then: dict[str, str], now: dict[str, str]) -> list[str]:
    changed = [
        f"{name} was {then[name]} and is {now[name]} now"
        for name in sorted(then.keys() & now.keys())
        if then[name] != now[name]
    ]
    if not changed and then and now and then.keys() != now.keys():
        return ["it was made by a version of actors_rs that notes other settings"]
    return [*changed[:-1], f"{changed[-1]}: set it back"] if changed else []


def _caches(then: str, now: str) -> list[str]:
    old, new = (list(dict.fromkeys(text.splitlines())) for text in (then, now))
    lost = [f"`{one}` was cached and is not now: cache it again" for one in old if one not in new]
    more = [f"`{one}` is cached now and was not: unpersist it" for one in new if one not in old]
    return lost + more


def _dealt(then: list[str], now: list[str]) -> str:
    pairs = zip_longest(then, now, fillvalue="")
    old, new = next(_around(*pair) for pair in pairs if pair[0] != pair[1])
    return (
        f"Spark dealt the rows otherwise, {old} then and {new} now: the input has changed, or "
        "its sizes in shuffle files have (spark.sql.adaptive.coalescePartitions.enabled=false "
        "rules that out)"
    )
