#!/bin/sh
# Prints the first Python here that is 3.11 or newer and can make virtual environments.
# Prints plain python3 when there is none, so that the caller can say what is missing.
for candidate in python3 python3.13 python3.12 python3.11 python3.14 python; do
    # Run it instead of looking it up: version managers leave names on PATH that only print an error.
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$candidate"
        exit 0
    fi
done
echo python3
