/* SPDX-License-Identifier: BSD-2-Clause */
/* What bindgen reads: all of libvspe's interface. */
#include <vspe/a64.h>
#include <vspe/decode.h>
#include <vspe/model.h>
#include <vspe/pmu.h>
#include <vspe/spe.h>
