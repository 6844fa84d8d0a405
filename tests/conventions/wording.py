"""What no text of the project holds, and a pure check of one file's text against it.

The patterns are written so that they do not match themselves.
"""

import re

ALLOWED_HOSTS = frozenset(
    {
        "127.0.0.1",
        "arrow.apache.org",
        "creativecommons.org",
        "docs.python.org",
        "example.com",
        "example.org",
        "github.com",
        "keepachangelog.com",
        "localhost",
        "peps.python.org",
        "prometheus.io",
        "pykka.readthedocs.io",
        "rsocket.io",
        "semver.org",
        "spark.apache.org",
        "www.apache.org",
        "www.reactive-streams.org",
        "www.w3.org",
    }
)

FORBIDDEN = {
    "a path of one machine": re.compile(
        r"(?<![\w.}])/(?:work|root|home|Users)/\w|/tmp/(?:venv|brief)\b|\b[A-Z]:\\Users\\"
    ),
    "the setting of a package registry": re.compile(
        r"\b(?:extra-)?index[-_]url\b|\btrusted[-_]host\b"
    ),
    "the host of a package registry": re.compile(
        r"\bpy[p]i\.\w|python[h]osted|arti[f]actory", re.I
    ),
    "work put off": re.compile(r"\b(?:TO[D]O|FIX[M]E|X[X]X)\b"),
    "the number of an issue": re.compile(r"\bissues? #?\d", re.I),
    "who wrote it": re.compile(r"\b(?:A[I]|assis[t]ant|chat[b]ot|language [m]odel)\b"),
}

URL = re.compile(r"\b(?:https?|git|ssh|ftp)://(?:[^/\s@]*@)?([A-Za-z0-9.-]+)")


def forbidden_words(path: str, text: str) -> list[str]:
    """Each place in the text that holds what it must not."""
    return [
        f"{path}:{number}: holds {what}: {found.group()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in FORBIDDEN.items()
        for found in pattern.finditer(line)
    ]


def unknown_hosts(path: str, text: str) -> list[str]:
    """Each URL to a host that the project has not said it refers to."""
    return [
        f"{path}:{number}: names the host {host}, which is not in ALLOWED_HOSTS"
        for number, line in enumerate(text.splitlines(), start=1)
        for host in URL.findall(line)
        if host.rstrip(".").lower() not in ALLOWED_HOSTS
    ]
