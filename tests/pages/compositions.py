"""Parts of the language that no file in ``actors_rs/stages/`` describes, for the operators' page.

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

        Back-pressure: emits the requested elements and no more.
        Completes: after the last one, or when drained.
        Fails: never.
        Cancels: at once.
        """,
    ),
    (
        "engine/boundary/foreign_source.py",
        """from_publisher(publisher)

        out: 1 2 3 |

        Gives the elements of a foreign Publisher. Each run subscribes anew.

        Back-pressure: requests a window from the publisher, and more as elements are taken.
        Completes: when the publisher does, after its elements.
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

        Makes one source of several: merged, or the result of ``how(*sources)``, for instance
        ``actors_rs.zip``, which is not Python's own.

        Back-pressure: as the junction does.
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

        Gives the elements of other streams after its own, one stream after the other.

        Back-pressure: in its turn, a stream is started, and receives the demand of downstream.
        Completes: when the last stream has completed.
        Fails: when the stream whose turn it is does; later streams are not started.
        Cancels: the stream whose turn it is; later streams are not started.
        """,
    ),
    (
        "stages/junctions/concat.py",
        """prepend(b)

        b:   8 9 |
        in:      1 2 |
        out: 8 9 1 2 |

        Gives the elements of other streams, one stream after the other, then its own.

        Back-pressure: requests nothing from upstream before the others have completed.
        Completes: with upstream, once the others have completed.
        Fails: when the stream whose turn it is does; later streams are cancelled.
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

        Back-pressure: passes on the demand of downstream; the other is started when it is needed.
        Completes: with upstream if upstream gave an element, else with the other stream.
        Fails: with upstream, or with the other stream.
        Cancels: whichever of the two is running.
        """,
    ),
    (
        "stages/operators/start_with.py",
        """start_with_get(f)

        in:        1 2 |
        out: f()   1 2 |

        Gives the results of functions, each called when it is due, before the elements.

        Back-pressure: calls a function when downstream requests its result.
        Completes: with upstream.
        Fails: with upstream, after earlier elements; or when a function raises.
        Cancels: upstream; functions that are not due yet are not called.
        """,
    ),
    (
        "stages/operators/end_with.py",
        """end_with_get(f)

        in:  1 2 |
        out: 1 2 f() |

        Gives the results of functions, each called when it is due, after the elements.

        Back-pressure: calls a function when downstream requests its result.
        Completes: after the last result, once upstream has completed.
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

        Back-pressure: requests a window; an inner stream receives the demand of downstream.
        Completes: when upstream and the last inner stream have completed.
        Fails: with upstream, after earlier inner streams; when an inner one fails or f raises.
        Cancels: upstream and the inner stream.
        """,
    ),
    (
        "stages/operators/sliding.py",
        """pairwise()

        in:  1 2 3 |
        out: (1, 2) (2, 3) |

        Gives each element except the first with the one before it: ``sliding(2)``.

        Back-pressure: requests its window, as far as downstream requests.
        Completes: with upstream.
        Fails: with upstream, after earlier elements.
        Cancels: upstream, when downstream cancels.
        """,
    ),
    (
        "stages/operators/reduce.py",
        """reduce_get(make_init, f)

        in:  1 2 3 |
        out:       make_init() + 1 + 2 + 3 |

        Folds as ``reduce`` does, from the result of a function, which is called once in each run.

        Back-pressure: takes everything once an element is demanded, and gives one.
        Completes: after its result, when upstream completes.
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

        Calls the function of the preceding ``map_async`` again for an element on which it failed.
        ``after=f`` gives the seconds to wait, from the error, where the backoff should not.

        Back-pressure: as ``map_async`` does; a waiting element holds no thread and no place.
        Completes: with upstream, once no call runs or waits.
        Fails: when the last attempt does, or the budget for all elements is used up.
        Cancels: upstream, and the calls that wait.
        """,
    ),
    (
        "stages/passing.py",
        """buffer(100)

        in:  1 2 3 4 |
        out: 1   2   3   4 |

        Holds up to this many elements for downstream, and drops none.

        Back-pressure: requests nothing before the first request of downstream; from then on as many
          as there is room for, with or without requests of downstream.
        Completes: with upstream, after the held elements.
        Fails: with upstream, after the held elements.
        Cancels: upstream, when downstream cancels.
        """,
    ),
    (
        "stages/failure.py",
        """on_failure("resume")

        in:         1 0 2 |
        map(1 / n): 1   0.5 |      (0 is a dead letter, with its error)

        Sets the reaction of the preceding stage to an element on which it raises.

        Back-pressure: as the stage does.
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

        Makes this flow anew when it fails, on the same links, after a wait that grows. The state of
        its folds is lost.

        Back-pressure: upstream and downstream wait while the section is made anew.
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

        Make a standard peer, as ``system.publisher``, ``.processor`` and ``.subscriber`` do.

        Back-pressure: elements are signalled one by one, as far as the subscriber requested.
        Completes: with the stream.
        Fails: with the stream; a break of a rule of the standard is an error that names the rule.
        Cancels: the run, when the subscription is cancelled.
        """,
    ),
]
"""Sources and operators that are others with given arguments, or another word for them."""

PUTTING_TOGETHER = {
    "`flow.via(other)`, `pipe(source, flow, ...)`": "Puts reusable parts one after the other.",
    "`flow.to(sink)`, `flow.into(sink)`": (
        "Ends a flow: a source and a sink are a graph, an open flow and a sink are a sink."
    ),
    "`flow.run(sink, name=, system=, timeout=)`": (
        "Runs it, on a system of its own by default, waits, and returns the sink's result."
    ),
    "`await flow.run_async(sink, name=, system=, timeout=)`": (
        "The same in a coroutine, whose cancellation cancels the run."
    ),
    "`for x in source`, `async for`, `source.iterate(window=16)`, `source.open(name=, system=)`": (
        "Loops over the elements of a run, which the loop's end cancels."
    ),
    "`flow.named(name)`": "Names the last stage, in errors, figures and pictures.",
    "`flow.with_total(n)`": "Says how many elements will come, for progress bars.",
    "`flow.with_attributes(window=, dispatcher=, throughput=)`": (
        "Says how the last stage runs: elements that its inlets keep requested, shared pool or "
        "thread of its own, messages for each turn."
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
        "The basis of all of these: a stage of your own after a flow."
    ),
    "`sink.contramap(f)`, `sink.after(flow)`": (
        "A sink that takes other elements: a `map`, or a flow, and the sink."
    ),
    "`graph.start_on(system)`, `sink.start_on(system)`": (
        "The same as `system.start(graph)`. A sink is refused, since it has no source."
    ),
    "`sink.map_result(f)`": "A sink whose result is `f(result)`.",
    "`Sink.fold_get(make_init, f)`": (
        "`Sink.fold` from the result of a function, called in each run."
    ),
    "`sink.named`, `sink.with_attributes`, `sink.on_failure`": "As for flows, for a sink.",
}
"""Methods that make no stage of their own."""
