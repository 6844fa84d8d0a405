"""A page in the browser for all runs of a system. Needs the extra ``web``.

Begin with ``serving.py``. ``watching.py`` looks at the runs, ``state.py`` turns a snapshot into
the data of the page, ``app.py`` has the addresses, and
``guard.py`` decides who may read and act. ``static`` is the page itself, plain HTML, CSS and
JavaScript without a build step. May import what ``observability`` may.
"""

from actors_rs.observability.web.serving import Page as Page
from actors_rs.observability.web.serving import serve as serve

__all__ = ["Page", "serve"]
