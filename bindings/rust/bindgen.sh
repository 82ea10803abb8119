#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bindgen.sh TABLES [OPTION...]: print the declarations of libvspe's headers in Rust, vspe-sys/src/bindings.rs. TABLES is the folder
# sysreg/tables of a build; an OPTION is one of bindgen's. The committed file is made by bindgen 0.60, Debian 12's, with
# --no-layout-tests. Masks of fields are left out, as bindgen gives each a type by its size: LSB and WIDTH tell them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
tables=$1
shift
# bindgen 0.60 loses the unnamed enumerations of libclang 16 and later, and takes the newest that it finds.
[ ! -d /usr/lib/llvm-14/lib ] || export LIBCLANG_PATH="${LIBCLANG_PATH-/usr/lib/llvm-14/lib}"
bindgen --use-core --ctypes-prefix crate::ctypes --size_t-is-usize --no-prepend-enum-name --no-doc-comments \
	--with-derive-default --with-derive-partialeq --with-derive-eq --no-partialeq 'spe_host|a64_registers|spe_model_facts' --blocklist-item 'SYSREG_.*_MASK' \
	--allowlist-function '(vspe|sysreg|spe|pmu|a64)_.*' --allowlist-type '(sysreg|spe|pmu|a64)_.*' \
	--allowlist-var '(VSPE|SYSREG|SPE|PMU|A64)_.*' --raw-line '// SPDX-License-Identifier: BSD-2-Clause' \
	"$@" "$here/vspe-sys/wrapper.h" -- \
	-I"$top/sysreg/include" -I"$tables" -I"$top/spe/include" -I"$top/pmu/include" -I"$top/a64/include" -I"$top/model/include"
