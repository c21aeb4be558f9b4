#!/bin/sh
exec python3 tests/guide/follow_guide.py "$@"
