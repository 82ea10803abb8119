# SPDX-License-Identifier: BSD-2-Clause
# libvspe alone, for aarch64, with neither libc nor start files: what an EL2 monitor would link.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-ffreestanding -nostdlib -mgeneral-regs-only -fno-stack-protector -fno-pic -fcallgraph-info=su")

# tests/freestanding.sh reads the call graphs that gcc writes next to the objects. A compiler cache does not keep them.
set(CMAKE_C_COMPILER_LAUNCHER "" CACHE STRING "" FORCE)
