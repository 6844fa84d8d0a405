"""What the library's log says of its own bugs: ``tests/conftest.py`` fails a test for it."""

import logging


class Defects(logging.Handler):
    """Keeps in ``said``, as text, each record of a defect; the errors of users are none."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "this is a defect" in record.msg:
            self.said.append(self.format(record))  # with its traceback, and keeping no frame alive
