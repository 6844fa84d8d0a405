"""``MergeHub``: one stream, fed by sources that come and go while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeAlias, TypeVar, get_args

from actors_rs.errors import GraphError, IllegalStateError
from actors_rs.graph.blueprint import check_source, in_order
from actors_rs.graph.checks import one_of, optional_text, wrong_kind
from actors_rs.graph.spec import OutletRef, spec_of
from actors_rs.language.methods.chain import flow_of
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.fork import renew_in_child
from actors_rs.stages.hubs.merge_hub import MergeHubLogic
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Stream
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from actors_rs.language.flow import Flow

__all__ = ["Attached", "HubFactories", "MergeHub", "OnStreamFailure"]

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

OnStreamFailure: TypeAlias = Literal["report", "fail"]
"""The result of a stream that fails: a dead letter, or the failure of the hub."""


class Attached:
    """One stream that was attached to a hub. Thread-safe."""

    __slots__ = ("_hub", "_inlet", "_source")

    def __init__(self, hub: MergeHub[Any], source: Flow[Never, Any]) -> None:
        self._hub = hub
        self._source = source
        self._inlet: Inlet | None = None

    def cancel(self) -> None:
        """Take the stream off the hub; nothing happens if it has ended. Does not wait."""
        self._hub._leave(self)


class MergeHub(Generic[T_contra]):
    """Where sources are attached to ``source``, a stream that runs once. Thread-safe.

    Sources can be attached before the stream is started, and as long as it has not ended. Each runs
    as a part of the stream's run, merged with the others as they come. A source that has completed
    is forgotten. A source that has failed is a dead letter, or with ``on_failure="fail"`` the
    stream's failure. The stream completes after ``close()``, when all attached sources have ended.

    ``Source.merge_hub`` makes one; it has an example.
    """

    def __init__(self, on_failure: OnStreamFailure = "report", name: str | None = None) -> None:
        self._fails = on_failure == "fail"
        self._out = OutletRef(spec_of("merge_hub", self._logic, name=name, outflow_window=0))
        # Over the five fields below; the collector may run a ``__del__`` in here that cancels.
        self._lock = RLock()
        self._waiting: list[Attached] = []
        self._made: MergeHubLogic | None = None
        self._running: MergeHubLogic | None = None  # from its first turn on
        self._closed = False
        self._over = False
        renew_in_child(self)

    def __repr__(self) -> str:
        return f"<MergeHub '{self._out.spec.label}' {'closed' if self._closed else 'open'}>"

    @property
    def source(self) -> Flow[Never, Any]:
        """The stream that the hub feeds, to be run once."""
        return flow_of(self._out)

    def attach(self, source: Flow[Never, T_contra], /) -> Attached:
        """Feed the elements of ``source`` into the stream.

        Raises ``ArgumentTypeError`` if it is no Source, ``GraphError`` if its input is open,
        ``IllegalStateError`` if the hub was closed or its stream has ended. If the stream ends
        before it has begun to take from a source, that source is never started, and is a dead
        letter. A source that cannot be started, for instance a group that is run already, has
        failed.
        """
        if not isinstance(source, Stream):
            raise wrong_kind(f"attach needs a Source, got {repr_of(source)}")
        out: OutletRef = source._out
        check_source(in_order([out.spec]), out, "attach")
        attached = Attached(self, source)
        with self._lock:
            if self._over or self._closed:
                how = "its stream has ended" if self._over else "it was closed"
                raise IllegalStateError(f"{repr_of(self)} takes no more streams: {how}")
            self._waiting.append(attached)
            running = self._running
        if running is not None:
            running.context.post(self._admit)
        return attached

    def close(self) -> None:
        """Take no more streams: the stream completes when those attached have. Does not wait."""
        with self._lock:
            self._closed = True
            running = self._running
        if running is not None:
            running.context.post(self._admit)

    def _logic(self) -> MergeHubLogic:
        """The one logic; called when the stream is materialized."""
        made = MergeHubLogic(fails=self._fails, began=self._begin, ended=self._stopped)
        with self._lock:
            if self._made is None:
                self._made = made
                return made
        raise GraphError(
            f"a merge_hub's stream runs once, got a second run of "
            f"'{self._out.spec.label}'{self._out.spec.made}: make a hub for each run"
        )

    def _renew(self) -> None:
        """In a forked child: a stream that was begun goes on in the parent, and is over here."""
        self._lock = RLock()
        if self._made is not None:
            self._over, self._running, self._waiting = True, None, []

    # In the stage's turn

    def _begin(self) -> None:
        with self._lock:
            self._running = self._made
        self._admit()

    def _admit(self) -> None:
        """Take in the waiting sources; if one is the end of the stream, the others still wait."""
        logic = self._running
        assert logic is not None  # or there would be no turn
        while (attached := self._next()) is not None:
            attached._inlet = logic.admit(attached._source)
        with self._lock:  # one look: sources attached before it was closed have a turn to come
            all_in = self._closed and not self._waiting
        if all_in:
            logic.close()

    def _next(self) -> Attached | None:
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None

    def _stopped(self) -> None:
        with self._lock:
            self._over = True
            waiting, self._waiting = self._waiting, []
            logic = self._made
        for attached in waiting:
            if logic is not None:
                logic.context.report(attached._source, "attached to a merge_hub that has ended")

    # From any thread

    def _leave(self, attached: Attached) -> None:
        with self._lock:
            logic = self._running
            if attached in self._waiting:
                self._waiting.remove(attached)
                return
        if logic is not None:
            logic.context.post(lambda: self._take_off(logic, attached))

    @staticmethod
    def _take_off(logic: MergeHubLogic, attached: Attached) -> None:
        if attached._inlet is not None:
            logic.leave(attached._inlet)


class HubFactories:
    """The hub among the factories of ``Source``."""

    __slots__ = ()

    @staticmethod
    def merge_hub(
        *, on_failure: OnStreamFailure = "report", name: str | None = None
    ) -> MergeHub[Any]:
        """A stream, ``.source`` of the returned hub, that is fed by sources which come and go.

        ``hub.attach(source)`` adds a source, also while the stream runs; ``hub.close()`` says that
        no more will come. ``on_failure``: a source that fails is a dead letter and the others go on
        (``"report"``, the default), or the stream fails (``"fail"``). ``name`` is the stage's name.

        >>> hub = Source.merge_hub(name="readings")
        >>> attached = hub.attach(Source.of(20.5))
        >>> hub.close()
        >>> hub.source.run(Sink.list())
        [20.5]
        """
        one_of(get_args(OnStreamFailure), on_failure, "Source.merge_hub: on_failure")
        optional_text(name, "Source.merge_hub: name")
        return MergeHub(on_failure, name)
