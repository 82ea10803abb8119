# SPDX-License-Identifier: BSD-2-Clause
# A vspe for arm64 Linux with ThreadSanitizer, which cannot be in a static program: all but libc and libm is linked in.
include(${CMAKE_CURRENT_LIST_DIR}/aarch64-static.cmake)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libtsan -static-libgcc")
