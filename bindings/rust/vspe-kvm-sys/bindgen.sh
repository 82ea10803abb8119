#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bindgen.sh TABLES: print the declarations of <vspe/kvm.h> in Rust, src/bindings.rs of this crate: see ../bindgen.sh. What they
# have of <vspe/spe.h> is vspe-sys's.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../..
# As in ../bindgen.sh.
[ ! -d /usr/lib/llvm-14/lib ] || export LIBCLANG_PATH="${LIBCLANG_PATH-/usr/lib/llvm-14/lib}"
bindgen --use-core --ctypes-prefix vspe_sys::ctypes --size_t-is-usize --no-prepend-enum-name --no-doc-comments --no-layout-tests \
	--with-derive-default --no-recursive-allowlist --allowlist-function 'vspe_kvm_.*' --allowlist-type 'vspe_kvm.*' \
	--allowlist-var 'VSPE_KVM_.*' --raw-line '// SPDX-License-Identifier: BSD-2-Clause' --raw-line 'use vspe_sys::*;' \
	--raw-line 'pub type kvm_run = vspe_sys::ctypes::c_void;' "$here/wrapper.h" -- \
	-I"$top/sysreg/include" -I"$1" -I"$top/spe/include" -I"$top/a64/include" -I"$top/vmm/kvm/include"
