"""Random legal traces: what a careful publisher and a careful subscriber may do to each other."""

from hypothesis import strategies as st

from actors_rs import UNBOUNDED
from actors_rs.protocol.link import Kind, Signal


@st.composite
def legal_traces(draw, most=40):
    """A list of signals of one link in an order that breaks no rule."""
    trace = [Signal(Kind.ON_SUBSCRIBE)]
    outstanding, cancelled, ended = 0, False, False
    for _ in range(draw(st.integers(0, most))):
        choices = ["request", "cancel"]
        if outstanding and not ended:
            choices += ["next", "next", "next"]
        if not ended:
            choices += ["error", "complete"]
        match draw(st.sampled_from(choices)):
            case "request":
                least = -5 if cancelled or ended else 1  # then nobody looks at the number
                amounts = st.integers(least, 9) | st.sampled_from([UNBOUNDED, 2**80])
                n = draw(amounts)
                trace.append(Signal(Kind.REQUEST, n))
                outstanding += n if not (cancelled or ended) else 0
            case "cancel":
                trace.append(Signal(Kind.CANCEL))
                cancelled = True
            case "next":
                n = draw(st.integers(1, min(outstanding, 5)))
                trace.append(Signal(Kind.ON_NEXT, n))
                outstanding -= n
            case "error":
                trace.append(Signal(Kind.ON_ERROR, note="ValueError"))
                ended = True
            case "complete":
                trace.append(Signal(Kind.ON_COMPLETE))
                ended = True
    return trace
