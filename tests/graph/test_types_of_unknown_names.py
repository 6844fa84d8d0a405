"""Type checkers go on refusing names that are not there: an ignored error that is none is one."""

# pyright: reportUnnecessaryTypeIgnoreComment=true

import pytest

from actors_rs import Sink, Source


def test_a_name_that_is_not_there_is_refused():
    source = Source.of(1)
    for name in (
        lambda: source.for_each,  # type: ignore[attr-defined]
        lambda: Source.read_csv,  # type: ignore[attr-defined]
        lambda: Sink.to_list,  # type: ignore[attr-defined]
        lambda: source.to(Sink.list()).start,  # type: ignore[attr-defined]
    ):
        with pytest.raises(AttributeError, match="has no attribute"):
            name()
