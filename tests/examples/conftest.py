"""Source trees for the tests of the examples, made afresh in a temporary directory."""

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

MODULE = '''
"""Module {n}."""
import os

def plain(a, b=1, *rest, c, **named):
    """Documented."""
    if a and b or c:
        return [x for x in rest if x]
    return os.sep

async def waits(x):
    async for y in x:
        yield y

class Thing:
    @property
    def size(self): return {n}

    def outer(self):
        def inner():
            "Nested and documented."
            while True:
                break
        return inner if self else None
'''

GOOD = {
    "bom.py": b"\xef\xbb\xbfdef with_bom(): pass\n",
    "cookie.py": b"# -*- coding: latin-1 -*-\ndef caf\xe9(): pass\n",
    "empty.py": b"",
    "only_data.py": b"LIMIT = 3\n",
    "warns.py": b"def f(): return '\\d' is 3\n",
    "deep_but_fine.py": b"def f(): return a" + b".b" * 900 + b"\n",
}

BAD = {
    "syntax.py": b"def broken(:\n",
    "undecodable.py": b"s = '\xff\xfe'\n",
    "null_bytes.py": b"x = 1\x00\n",
    "unknown_cookie.py": b"# coding: no-such-codec\n",
    "deep_minus.py": b"x = " + b"-" * 20_000 + b"1\n",
    "deep_attributes.py": b"x = a" + b".b" * 20_000 + b"\n",
    "deep_parentheses.py": b"x = " + b"(" * 1_000 + b")" * 1_000 + b"\n",
}


@pytest.fixture(scope="session")
def source_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """About seventy files: three packages, one of them in two levels, and single modules."""
    root = tmp_path_factory.mktemp("source")
    for n in range(54):
        package = root / ("alpha", "beta", "beta/inside")[n % 3]
        package.mkdir(parents=True, exist_ok=True)
        (package / f"module_{n}.py").write_text(MODULE.format(n=n))
    for folder, files in (("odd", GOOD), ("bad", BAD)):
        (root / folder).mkdir()
        for name, content in files.items():
            (root / folder / name).write_bytes(content)
    (root / "single.py").write_text("def alone(): pass\n")
    (root / "broken_single.py").write_text("def alone(:\n")
    (root / "bad" / "directory.py").mkdir()
    (root / "bad" / "dangling.py").symlink_to("nowhere.py")
    (root / "notes.txt").write_text("def no_python(): pass\n")
    installed = root / "site-packages" / "foreign"
    installed.mkdir(parents=True)
    (installed / "foreign.py").write_text("def not_counted(): pass\n")
    return root
