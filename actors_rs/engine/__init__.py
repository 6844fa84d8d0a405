"""What runs a blueprint: islands (actors) with their members (stages), and the links between them.

Begin with ``contract.py``, which says what the parts know of each other, then ``island.py``,
``member.py``, ``links.py`` and ``materializer.py``.

- Before a run starts: ``planner`` (which stages share an island), ``layout`` (what is the same in
  all runs of a graph), ``assembly`` (makes islands, members and connections).
- While a stage runs: ``calls`` (functions of the user), ``aside`` (user code on a thread of its
  own), ``timing`` (turns, busy times), ``outside`` (its timers, jobs and futures), ``processes``
  (its worker processes), ``written`` (its files). ``monitored`` has links that check the standard,
  ``run_events`` emits events.
- Failures: ``stages/failure.py`` has the policies, which say whether a stage goes on after an
  element. ``failure`` is for a stage that ends: it reports the error to the run, and decides about
  errors that no stage receives. ``explaining/failures.py`` writes the policies' lines of
  ``Graph.explain()``. ``severing`` cuts off a stage that was given up.
- Folders: ``run`` (a run as a whole), ``watching`` (runs that stand still), ``inner`` (streams that
  begin in a run), ``sections`` (restarts), ``boundary`` (foreign Publishers and Subscribers).
  ``loops`` is for user code that takes elements out of a run, ``explaining`` has the text of
  ``Graph.explain()``.

May import ``graph``, ``stages``, ``runtime`` and what these may; never ``language``. The import
lists of the folders leave out ``errors``, ``raised``, ``texts`` and ``unknown_names``.
"""
