#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/kvm/tsan.sh VSPE GUESTS LINUX [OPTION...]: the rows of threads.list with an arm64 vspe that has ThreadSanitizer, on
# KVM. A report of its is exit code 66, and a failure. The arguments are those of run.sh. Exit code as run.sh's.
set -eu
[ $# -ge 3 ] || { echo "tsan.sh: VSPE, GUESTS and LINUX are needed" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
vspe=$(realpath "$1") guests=$(realpath "$2") linux=$(realpath "$3")
shift 3
cd "$here/../.."
arm64=$(tools/build-arm64.sh arm64-tsan) || exit
# Its shadow memory is for addresses that are not random.
exec tests/kvm/run.sh --vspe "$arm64" --append norandmaps "$@" "$here/threads.list" "$vspe" "$guests" "$linux"
