#!/bin/sh
# Prints the first Python here that is 3.11 or newer and can make virtual environments.
# Prints plain python3 when there is none, so that the caller can say what is missing.
# With "newest": prints the newest Python here that the project supports, or nothing.

usable() {
    # Run it instead of looking it up: version managers leave names on PATH that only print an error.
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

first_usable() {
    for candidate in "$@"; do
        if usable "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

if [ "$1" = newest ]; then
    pyenv="${PYENV_ROOT:-$HOME/.pyenv}/versions"
    for version in 3.13 3.12 3.11; do
        # pyenv's Pythons are seldom on PATH.
        first_usable "python$version" "$pyenv/$version".*/bin/python && exit 0
    done
    exit 0
fi
first_usable python3 python3.13 python3.12 python3.11 python3.14 python || echo python3
