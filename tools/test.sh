#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
set -eu
cd "$(dirname "$0")/.."

usage="Usage: tools/test.sh [--full | --deep | --whole]

Install what is missing, build vspe, and pass its tests.

  --full   those too that take longer: the whole conformance suite, examples, documents
  --deep   and guests on KVM of an emulated arm64 host, Linux, deliberate errors,
           packages in a bare Debian; fetches a kernel and a Debian the first time
  --whole  all, some hours: what --deep does by samples, at its full length
  --help   print this

One test alone: ctest --preset release -R NAME"
packages='build test' layers='^fast$'
case ${1-} in
'') ;;
--full) packages="$packages examples" layers='^(fast|full)$' ;;
--deep) packages="$packages examples arm64 package browser bolt" layers='^(fast|full|deep)$' ;;
--whole) packages="$packages examples arm64 package browser bolt viewers" layers='.' ;;
--help)
	echo "$usage"
	exit ;;
*)
	echo "tools/test.sh: $1: there is no such option; see --help" >&2
	exit 2 ;;
esac
# shellcheck disable=SC2086 # groups are words
tools/install $packages
echo "Building vspe ..."
mkdir -p build
{ cmake --preset release -DBUILD_TESTING=ON && cmake --build --preset release; } \
	>build/release.log 2>&1 || { tail -n 40 build/release.log >&2; exit 1; }
exec ctest --preset release -L "$layers" -j "$(nproc)" --output-junit "$PWD/build/release.xml"
