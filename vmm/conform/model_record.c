// SPDX-License-Identifier: BSD-2-Clause
#include "conform/model.h"
const struct model models_record[] = {{0}};
