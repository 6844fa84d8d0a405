"""A page in the browser for all runs of a system. Needs the extra ``web``.

Begin with ``serving.py``, and ``mounting.py`` for a server of the user's. ``watching.py`` looks at
the runs, ``state.py`` turns a snapshot into the data of the page, ``app.py`` has the addresses, and
``guard.py`` decides who may read and act. ``static`` is the page itself, plain HTML, CSS and
JavaScript without a build step. May import what ``observability`` may.
"""

from actors_rs.observability.web.mounting import asgi_app as asgi_app
from actors_rs.observability.web.serving import Page as Page
from actors_rs.observability.web.serving import Serving as Serving
from actors_rs.observability.web.serving import serve as serve

__all__ = ["Page", "Serving", "asgi_app", "serve"]
