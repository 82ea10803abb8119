/* SPDX-License-Identifier: BSD-2-Clause */
/* The errors of libvspe-kvm as text. */
#include <vspe/kvm.h>

const char *vspe_kvm_strerror(int error)
{
	static const char *const texts[VSPE_KVM_ERROR_MAX + 1] = {
		[0] = "no error",
		[VSPE_KVM_ESIZE] = "struct vspe_kvm_config is of another version of libvspe-kvm",
		[VSPE_KVM_EVALUE] = "a value is out of its range",
		[VSPE_KVM_EMEMORY] = "no memory",
		[VSPE_KVM_ECALL] = "a system call failed",
		[VSPE_KVM_EBREAKPOINTS] = "KVM has less than two hardware breakpoints for guests",
		[VSPE_KVM_EEVENT] = "the perf event is no measure of the guest's instructions",
		[VSPE_KVM_ESPE] = "the configuration of SPE is none that a guest of KVM can have",
		[VSPE_KVM_ERESET] = "KVM has no DBGVCR32_EL2, by which a reset is noticed",
		[VSPE_KVM_ENATIVE] = "the kernel gives the vCPU SPE itself",
		[VSPE_KVM_ERANGE] = "a range is not within one region of memory",
	};

	/* Do not negate error: INT_MIN cannot be negated. */
	if (error < -VSPE_KVM_ERROR_MAX || error > VSPE_KVM_ERROR_MAX)
		return "unknown error";
	return texts[error < 0 ? -error : error];
}
