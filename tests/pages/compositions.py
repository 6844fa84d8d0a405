"""What the language offers and no file in ``actors_rs/stages/`` describes, for the operators' page.

Each entry is the file it is made of and a text in the form that stages' files open with.
"""

from __future__ import annotations

__all__ = ["COMPOSED", "PUTTING_TOGETHER"]

COMPOSED = [
    (
        "stages/sources/of.py",
        """range(5, 3)

        out: 5 6 7 |

        Gives a number of integers, counting upwards.

        Back-pressure: gives what was asked for and no more.
        Completes: behind the last one, or when drained.
        Fails: never.
        Cancels: at once.
        """,
    ),
    (
        "engine/boundary/foreign_source.py",
        """from_publisher(publisher)

        out: 1 2 3 |

        Gives the elements of somebody else's Publisher, subscribed to anew in each run.

        Back-pressure: requests a window from the publisher, and more as elements are taken.
        Completes: when the publisher does, behind what it gave.
        Fails: when the publisher does; or when it breaks a rule, which the error names.
        Cancels: the subscription.
        """,
    ),
    (
        "stages/junctions/merge.py",
        """combine(a, b, how=actors_rs.zip)

        a:   1   2 |
        b:     8     9 |
        out: (1 8)   (2 9) |

        Makes one source of several: merged, or what ``how(*sources)`` gives, for instance
        ``actors_rs.zip``, which is not Python's own.

        Back-pressure: that of the junction.
        Completes: as the junction does.
        Fails: as the junction does.
        Cancels: all sources.
        """,
    ),
    (
        "stages/junctions/concat.py",
        """append(b), concat(b)

        in:  1 2 |
        b:         8 9 |
        out: 1 2   8 9 |

        Gives the elements of other streams behind its own, one stream after the other.

        Back-pressure: a stream is started, and asked for what downstream asks, in its turn.
        Completes: when the last stream has completed.
        Fails: when the stream whose turn it is does; those behind it are not started.
        Cancels: the stream whose turn it is; those behind it are not started.
        """,
    ),
    (
        "stages/junctions/concat.py",
        """prepend(b)

        b:   8 9 |
        in:      1 2 |
        out: 8 9 1 2 |

        Gives the elements of other streams, one stream after the other, then its own.

        Back-pressure: upstream is not asked before the others have completed.
        Completes: with upstream, once the others have completed.
        Fails: when the stream whose turn it is does; those behind it are cancelled.
        Cancels: the stream whose turn it is, and upstream.
        """,
    ),
    (
        "stages/junctions/concat.py",
        """if_empty(b)

        in:  |
        b:     8 9 |
        out:   8 9 |

        Gives another stream if this one completes without an element.

        Back-pressure: hands on what downstream asks for; the other is started when it is needed.
        Completes: with upstream if that gave an element, else with the other stream.
        Fails: with upstream, or with the other stream.
        Cancels: whichever of the two is running.
        """,
    ),
    (
        "stages/operators/start_with.py",
        """start_with_get(f)

        in:        1 2 |
        out: f()   1 2 |

        Gives what functions return, each called when it is due, before the elements.

        Back-pressure: a function is called once downstream asks for its result.
        Completes: with upstream.
        Fails: with upstream, behind what came before; or when a function raises.
        Cancels: upstream; functions that are not due yet are not called.
        """,
    ),
    (
        "stages/operators/end_with.py",
        """end_with_get(f)

        in:  1 2 |
        out: 1 2 f() |

        Gives what functions return, each called when it is due, behind the elements.

        Back-pressure: a function is called once downstream asks for its result.
        Completes: behind the last result, once upstream has completed.
        Fails: with upstream, and no function is called; or when a function raises.
        Cancels: upstream; functions that are not due yet are not called.
        """,
    ),
    (
        "stages/operators/flat_map.py",
        """concat_map(f)

        in:   a     b |
        f(a):   1 2 |
        f(b):         3 |
        out:    1 2   3 |

        Gives the elements of each stream or iterable that ``f`` returns, one after the other.

        Back-pressure: asks for a window; an inner stream for what downstream asks for.
        Completes: when upstream and the last inner stream have completed.
        Fails: with upstream, behind the inner streams before; when an inner one fails or f raises.
        Cancels: upstream and the inner stream.
        """,
    ),
    (
        "stages/operators/sliding.py",
        """pairwise()

        in:  1 2 3 |
        out: (1, 2) (2, 3) |

        Gives each element but the first together with the one before: ``sliding(2)``.

        Back-pressure: asks for its window, as far as downstream asks.
        Completes: with upstream.
        Fails: with upstream, behind what came before.
        Cancels: upstream, when downstream cancels.
        """,
    ),
    (
        "stages/operators/reduce.py",
        """reduce_get(make_init, f)

        in:  1 2 3 |
        out:       make_init() + 1 + 2 + 3 |

        Folds as ``reduce`` does, from what a function gives, which is called once in each run.

        Back-pressure: takes everything once an element is demanded, and gives one.
        Completes: behind its result, when upstream completes.
        Fails: when upstream fails, or one of the functions raises; there is no result then.
        Cancels: upstream, when downstream cancels.
        """,
    ),
    (
        "stages/calls/retries.py",
        """map_async(f, 4).retry(backoff, max_attempts=3, budget=limit)

        in:  a         b |
        f:   x   x f(a)  f(b)
        out:       f(a)  f(b) |      (waits in between as the backoff says)

        Calls the function of the ``map_async`` before it again for an element that it failed for.

        Back-pressure: that of ``map_async``; who waits holds no thread and no place of a call.
        Completes: with upstream, once no call is under way or waits.
        Fails: when the last attempt does, or the budget for all elements is used up.
        Cancels: upstream, and the calls that wait.
        """,
    ),
    (
        "stages/passing.py",
        """buffer(100)

        in:  1 2 3 4 |
        out: 1   2   3   4 |

        Lets up to so many elements wait for downstream, and drops none.

        Back-pressure: asks for nothing before downstream has asked for the first time; from then on
          for as many as there is room for, whether or not downstream asks.
        Completes: with upstream, behind what waits.
        Fails: with upstream, behind what waits.
        Cancels: upstream, when downstream cancels.
        """,
    ),
    (
        "stages/failure.py",
        """on_failure("resume")

        in:         1 0 2 |
        map(1 / n): 1   0.5 |      (0 is a dead letter, with its error)

        Says what the stage before does with an element for which it raises: stop, resume, restart.

        Back-pressure: that of the stage.
        Completes: as the stage does.
        Fails: when the policy is ``"stop"``, or no element is at fault.
        Cancels: as the stage does.
        """,
    ),
    (
        "engine/sections/section.py",
        """restart(Backoff(), max_restarts=3)

        first:  1 2 x
        second:         1 2 3 |      (made anew when the backoff has passed)
        out:    1 2     1 2 3 |

        Makes this flow anew when it fails, behind the same links, in a wait that grows. What its
        folds had come to is gone.

        Back-pressure: what is before and behind waits while the section is made anew.
        Completes: when the section does.
        Fails: with the section's failure, when there were too many restarts in the time.
        Cancels: the section, or the wait for it.
        """,
    ),
    (
        "engine/boundary/standard.py",
        """source.publisher_on(system), flow.processor_on(system), sink.subscriber_on(system)

        in:  1 2 3 |
        out: 1 2 3 |

        Are what ``system.publisher``, ``.processor`` and ``.subscriber`` call: a standard peer.

        Back-pressure: elements are signalled one by one, as far as the subscriber requested.
        Completes: with the stream.
        Fails: with the stream; what breaks a rule of the standard is an error that names it.
        Cancels: the run, when the subscription is cancelled.
        """,
    ),
]
"""Sources and operators that are others with given arguments, or another word for them."""

PUTTING_TOGETHER = {
    "`flow.via(other)`, `pipe(source, flow, ...)`": "Puts reusable pieces one behind the other.",
    "`flow.to(sink)`, `flow.into(sink)`": (
        "Ends a flow: a source and a sink are a graph, an open flow and a sink are a sink."
    ),
    "`flow.run(sink)`": "Runs it on a system of its own, waits, and returns the sink's result.",
    "`await flow.run_async(sink)`": "The same in a coroutine, whose cancellation cancels the run.",
    "`for x in source`, `async for`, `source.iterate(window=16)`, `source.open()`": (
        "Loops over the elements of a run, which the loop's end cancels."
    ),
    "`flow.named(name)`": "Names the last stage, in errors, figures and pictures.",
    "`flow.with_total(n)`": "Says how many elements will come, for progress bars.",
    "`flow.with_attributes(window=, dispatcher=, throughput=)`": (
        "Says how the last stage is run: elements that its inlets keep requested, shared pool or "
        "thread of its own, messages a turn takes."
    ),
    "`flow.fuse()`, `graph.fuse()`": (
        "Puts the stages of a flow, or of a whole graph, into one actor. A source that may wait "
        "keeps an actor of its own."
    ),
    "`flow.async_boundary()`": (
        "Stages before it and stages after it share no actor, `fuse()` or not."
    ),
    "`graph.explain()`": "Says which stages share an actor and why, how many elements the "
    "graph holds at most, which stages wait for each other, and the effect of failures.",
    "`sink.behind(outlet)`, `flow.then(kind, make)`": (
        "What all of these are made with: a stage of one's own behind a flow."
    ),
    "`sink.contramap(f)`, `sink.after(flow)`": (
        "A sink that takes other elements: a `map`, or a flow, and the sink."
    ),
    "`graph.start_on(system)`, `sink.start_on(system)`": (
        "What `system.start` calls. A sink is refused, since it has no source."
    ),
    "`sink.map_result(f)`": "A sink whose result is `f(result)`.",
    "`Sink.fold_get(make_init, f)`": "`Sink.fold` from what a function gives, called in each run.",
    "`sink.named`, `sink.with_attributes`, `sink.on_failure`": "As for flows, for a sink.",
}
"""What makes no stage of its own."""
