"""The sinks of the language: where streams end, and what comes of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike, fsdecode
from sys import modules
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVarTuple, overload

from actors_rs.engine.boundary.standard import SinkSubscriber
from actors_rs.graph.blueprint import graft, to_pickle
from actors_rs.graph.checks import (
    at_least,
    cannot_run,
    function,
    one_of,
    optional_plain_function,
    optional_text,
    path_of,
    plain_function,
    required_text,
    telling_where,
    wrong_kind,
    wrong_value,
)
from actors_rs.graph.neighbours import FOR_SINKS
from actors_rs.graph.pickling import CopiedAsItself
from actors_rs.graph.spec import OPEN, Attributes, OutletRef, StageSpec, spec_of
from actors_rs.language.initial import copies_of
from actors_rs.runtime.system import ActorSystem
from actors_rs.stages.failure import Decider, OnFailure, Policy
from actors_rs.stages.sinks.count import Count
from actors_rs.stages.sinks.fan import Fan, Part
from actors_rs.stages.sinks.files import WriteReport
from actors_rs.stages.sinks.first import First
from actors_rs.stages.sinks.fold import Fold
from actors_rs.stages.sinks.for_each import ForEach
from actors_rs.stages.sinks.ignore import Ignore
from actors_rs.stages.sinks.jsonl import Jsonl
from actors_rs.stages.sinks.last import Last
from actors_rs.stages.sinks.list import ListSink
from actors_rs.stages.sinks.parquet import Parquet
from actors_rs.stages.sinks.sqlite import Sqlite
from actors_rs.stages.sinks.sum import Sum
from actors_rs.texts import repr_of
from actors_rs.unknown_names import Suggesting, UnknownName

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    T = TypeVar("T", default=Any)  # what is known of the elements of a sink that stands alone
    A = TypeVar("A", default=Any)  # has one since it follows one that has
    B = TypeVar("B", default=Any)
    C = TypeVar("C", default=Any)
else:
    from typing import TypeVar

    T = TypeVar("T")
    A = TypeVar("A")
    B = TypeVar("B")
    C = TypeVar("C")

__all__ = ["Sink"]

In_contra = TypeVar("In_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")
Ts = TypeVarTuple("Ts")

_PINNED = Attributes(dispatcher="pinned")


class Sink(Generic[In_contra, R_co], CopiedAsItself, metaclass=Suggesting):
    """The end of a stream, with a result. An immutable blueprint, fresh in each run."""

    __slots__ = ("_spec",)
    _instead_ = FOR_SINKS

    def __init__(self, _spec: StageSpec | None = None) -> None:
        if not isinstance(_spec, StageSpec):
            given = "" if _spec is None else repr_of(_spec)
            raise wrong_kind(
                f"expected Sink.list(), Sink.for_each(f) or the like, got Sink({given})"
            )
        self._spec = _spec

    if not TYPE_CHECKING:  # or type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            raise UnknownName(type(self), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (to_pickle([self._spec]), self._spec)

    def __repr__(self) -> str:
        return f"<Sink '{self._spec.label}'>"

    def named(self, name: str) -> Sink[In_contra, R_co]:
        """This sink under a name, which errors, figures and pictures show."""
        required_text(name, "named: a stage's name")
        return Sink(replace(self._spec, name=name))

    def with_attributes(
        self,
        *,
        window: int | None = None,
        dispatcher: str | None = None,
        throughput: int | None = None,
    ) -> Sink[In_contra, R_co]:
        """This sink with these settings, see ``Flow.with_attributes``."""
        with telling_where():
            attributes = Attributes.of_stage(self._spec.label, window, dispatcher, throughput)
        return Sink(replace(self._spec, attributes=attributes.over(self._spec.attributes)))

    def on_failure(
        self, policy: Policy | None = None, *, decider: Decider | None = None
    ) -> Sink[In_contra, R_co]:
        """What this sink does with an element for which it raises, see ``Flow.on_failure``.

        The result is that of the elements it took; after ``"restart"``, of those behind the
        failure. A sink that writes files keeps what it has written, as with ``"resume"``.
        """
        with telling_where():
            answer = OnFailure.checked("on_failure", policy, decider)
        attributes = replace(self._spec.attributes, on_failure=answer)
        return Sink(replace(self._spec, attributes=attributes))

    def behind(self, out: OutletRef) -> StageSpec:
        """This sink's stage, fed from ``out``."""
        return graft(self._spec, out)

    def subscriber_on(self, system: ActorSystem, /) -> SinkSubscriber[In_contra, R_co]:
        """What ``system.subscriber(sink)`` does."""
        return SinkSubscriber(system, self._spec)

    @staticmethod
    def list() -> Sink[T, builtins.list[T]]:
        """All elements, as a list."""
        return _sink("list", ListSink)

    @staticmethod
    def for_each(f: Callable[[T], object]) -> Sink[T, int]:
        """Call ``f`` with each element; the result is how many there were."""
        plain_function(f, "for_each: f")
        return _sink("for_each", partial(ForEach, f))

    # A checker may take (0, 0) for a tuple of literals, and None for the only value; hence three.
    @overload
    @staticmethod
    def fold(init: R, f: Callable[[R, T], R]) -> Sink[T, R]: ...  # type: ignore[overload-overlap]
    @overload
    @staticmethod
    def fold(init: tuple[*Ts], f: Callable[[tuple[*Ts], T], tuple[*Ts]]) -> Sink[T, tuple[*Ts]]: ...
    @overload
    @staticmethod
    def fold(init: None, f: Callable[[R | None, T], R]) -> Sink[T, R | None]: ...
    @staticmethod
    def fold(init: Any, f: Callable[[Any, T], Any]) -> Sink[T, Any]:
        """``f(accumulated, element)`` over all elements, from ``init``.

        Each run begins with a deep copy of ``init``; raises ``TypeError`` if it cannot be copied.
        """
        make_init = copies_of(init, "Sink.fold", "Sink.fold_get")
        function(f, "fold: f")
        return _sink("fold", partial(Fold, make_init, f))

    @staticmethod
    def fold_get(make_init: Callable[[], R], f: Callable[[R, T], R]) -> Sink[T, R]:
        """``fold`` from what ``make_init()`` gives, which is called once in each run."""
        function(make_init, "fold_get: make_init")
        function(f, "fold_get: f")
        return _sink("fold_get", partial(Fold, make_init, f))

    @overload
    @staticmethod
    def fan(first: Sink[T, A], second: Sink[T, B], /) -> Sink[T, tuple[A, B]]: ...
    @overload
    @staticmethod
    def fan(
        first: Sink[T, A], second: Sink[T, B], third: Sink[T, C], /
    ) -> Sink[T, tuple[A, B, C]]: ...
    @overload
    @staticmethod
    def fan(
        first: Sink[T, Any],
        second: Sink[T, Any],
        third: Sink[T, Any],
        fourth: Sink[T, Any],
        /,
        *more: Sink[T, Any],
    ) -> Sink[T, tuple[Any, ...]]: ...
    @overload
    @staticmethod
    def fan(only: Sink[T, A], /) -> Sink[T, tuple[A]]: ...
    @staticmethod
    def fan(*sinks: Sink[Any, Any]) -> Sink[Any, tuple[Any, ...]]:
        """Every element to each of ``sinks``, all in one actor; a tuple of their results.

        It has a thread of its own if one of them needs that, and the smallest of their windows.
        Where each is to be an actor of its own, use ``.broadcast(n)`` and ``Graph(...)``.
        """
        if not sinks:
            raise cannot_run("Sink.fan needs at least one sink, got none")
        for sink in sinks:
            check_sink("Sink.fan", sink)
        specs = [sink._spec for sink in sinks]
        for spec in specs:
            if spec.inputs != (OPEN,) or spec.loop is not None:
                raise cannot_run(
                    f"Sink.fan: its sinks are one stage, there is more before '{spec.label}'"
                    f"{spec.made}: use .broadcast(n) and Graph(...)"
                )
        asked = [s.attributes for s in specs]
        windows = [one.window for one in asked if one.window is not None]
        throughputs = [one.throughput for one in asked if one.throughput is not None]
        pinned = any(one.dispatcher == "pinned" for one in asked)
        attributes = Attributes(
            window=min(windows, default=None),
            dispatcher="pinned" if pinned else None,
            throughput=min(throughputs, default=None),
        )
        return _sink("fan", FanOf(specs), attributes)

    @staticmethod
    def sum() -> Sink[Any, Any]:
        """The elements added up, from 0."""
        return _sink("sum", Sum)

    @staticmethod
    def count() -> Sink[Any, int]:
        """How many elements there were."""
        return _sink("count", Count)

    @staticmethod
    def first() -> Sink[T, T]:
        """The first element; then upstream is cancelled. ``EmptyStreamError`` if none came."""
        return _sink("first", First)

    @staticmethod
    def last() -> Sink[T, T]:
        """The last element. ``EmptyStreamError`` if none came."""
        return _sink("last", Last)

    @staticmethod
    def ignore() -> Sink[Any, None]:
        """Take everything, keep nothing."""
        return _sink("ignore", Ignore)

    @staticmethod
    def jsonl(
        path: str | PathLike[str], *, default: Callable[[Any], object] | None = None
    ) -> Sink[Any, WriteReport]:
        """One JSON value a line; the file appears, or is replaced, when the stream completes.

        ``default`` is called with each value that JSON does not have (a date, a ``Decimal``, bytes,
        a dataclass, a scalar of NumPy) and returns what is written for it, as that of
        ``json.dumps`` does: ``Sink.jsonl(path, default=str)``. Without it such a value fails the
        run with a ``TypeError`` that names the field.
        """
        path_of(path, "Sink.jsonl")
        optional_plain_function(default, "Sink.jsonl: default")
        return _sink("jsonl", partial(Jsonl, path, default), _PINNED)

    @staticmethod
    def sqlite(
        path: str | PathLike[str], sql: str, *, batch: int = 500, setup: str | None = None
    ) -> Sink[Any, int]:
        """Run ``sql`` for each element, a tuple or dict of parameters; the number committed.

        ``batch`` elements are one transaction. ``setup`` is a script run first, for instance
        ``CREATE TABLE IF NOT EXISTS ...``. Fails with ``TypeError`` for what is no tuple or dict,
        and for scalars of NumPy, of which SQLite would write the bytes: ``.item()`` turns them.
        Fails with ``ValueError`` for ``nan``, for which SQLite would write NULL.
        """
        path_of(path, "Sink.sqlite")
        required_text(sql, "Sink.sqlite: sql")
        optional_text(setup, "Sink.sqlite: setup")
        at_least(1, batch, "sqlite: batch")
        make = partial(Sqlite, path, sql, batch, setup)
        return _sink("sqlite", make, _PINNED, target=fsdecode(path))

    @staticmethod
    def parquet(
        directory: str | PathLike[str],
        schema: Any = None,
        *,
        rows_per_file: int = 1_000_000,
        existing: Literal["append", "refuse"] = "append",
    ) -> Sink[Any, WriteReport]:
        """A data set of Parquet files, each of about ``rows_per_file`` rows.

        Elements are ``pyarrow`` record batches or tables, dicts (one row each) or lists of
        dicts. ``schema``, a ``pyarrow.Schema``, defaults to that of the first element: give one
        where later rows may have other columns, or fractions in a column of whole numbers.

        Files are added behind the ``part-*.parquet`` that are there: a second run of the same
        graph adds the same rows once more. ``existing="refuse"`` fails if there are such files, at
        the start or before the first one is complete. One sink at a time holds a directory,
        another one fails at its start. Fails before anything is written if what comes does not
        fit the schema of one of them, by the rule of ``docs/delivery.md``: columns go by their
        names, and each type fits one that holds all of its values.

        After ``acknowledged`` each unit is a file. All have the schema of the first one, or that of
        the files that are there; a ledger keeps the schema of its run. An element that does not
        fit follows ``on_failure``. ``existing`` is checked when the first element comes,
        and not for units of a ledger, which takes a directory that is its own.
        """
        path_of(directory, "Sink.parquet", "directory")
        if schema is not None and not _is_schema(schema):
            raise wrong_kind(
                f"Sink.parquet: schema must be a pyarrow.Schema, got {repr_of(schema)}"
            )
        if schema is not None and not schema.names:
            raise wrong_value("Sink.parquet: schema must have a column at least, got none")
        at_least(1, rows_per_file, "parquet: rows_per_file")
        one_of(("append", "refuse"), existing, "Sink.parquet: existing")
        make = partial(Parquet, directory, schema, rows_per_file, existing)
        return _sink("parquet", make, _PINNED, target=fsdecode(directory))


def check_sink(what: str, sink: object) -> None:
    """Raise ``TypeError`` unless ``sink`` is one."""
    if not isinstance(sink, Sink):
        name = getattr(sink, "__qualname__", "")
        call = f": call it, {name}()" if name.startswith("Sink.") else ""
        raise wrong_kind(f"{what} needs a Sink, got {repr_of(sink)}{call}")


def _is_schema(schema: object) -> bool:
    """Whether it is one of pyarrow's, which whoever has one has imported."""
    arrow = modules.get("pyarrow")
    return arrow is not None and isinstance(schema, arrow.Schema)


@dataclass(frozen=True, slots=True)
class FanOf:
    """Makes one stage of the sinks ``specs``."""

    specs: Sequence[StageSpec]

    def __call__(self) -> Fan:
        return Fan([Part(s.label, s.site, s.make, s.attributes.on_failure) for s in self.specs])


def _unpickled(_: object, spec: StageSpec) -> Sink[Any, Any]:
    return Sink(spec)


def _sink(
    kind: str,
    make: Callable[[], Any],
    attributes: Attributes | None = None,
    *,
    target: str = "",
) -> Sink[Any, Any]:
    return Sink(spec_of(kind, make, OPEN, outlets=0, attributes=attributes, target=target))
