/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual machine by the kernel's KVM. */
#ifndef VSPE_TESTS_LINUX_KVM_H
#define VSPE_TESTS_LINUX_KVM_H

/* By /dev/kvm, open as kvm: KVM_POINTS points. */
#define KVM_POINTS 8
void test_kvm(long kvm);

#endif
