/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of bindgen: the interface of libvspe-kvm. That of libvspe is in vspe-sys. */
#include <vspe/kvm.h>
