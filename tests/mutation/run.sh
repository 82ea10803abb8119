#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/mutation/run.sh: the mutation check. Puts each of mutations.list into a copy of the library, and fails
# unless the conformance suite finds every one.
exec python3 "$(dirname "$0")/mutate.py"
