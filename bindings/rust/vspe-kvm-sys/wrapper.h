/* SPDX-License-Identifier: BSD-2-Clause */
/* What bindgen reads: the interface of libvspe-kvm, beside that of libvspe, which is vspe-sys. */
#include <vspe/kvm.h>
