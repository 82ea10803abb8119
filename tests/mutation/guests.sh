#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/mutation/guests.sh GUESTS VERSION COMMANDS FILE...: the mutation check by guests. Puts each of guests.list into a copy
# of the library or of a file of vmm/, links vspe with it, and fails unless the guest that is named there fails. GUESTS is
# the folder of the images, COMMANDS compile_commands.json of the build, FILE... what vspe is linked from besides the library and its main program, in the order of the linker.
exec python3 "$(dirname "$0")/guests.py" "$@"
