/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of a perf event's skid. */

#include "../compare.h"
#include "kvm/count/skid.h"

Test(skid, in_instructions)
{
	cr_expect_eq(kvm_skid_of(1000, 1000, 1), 0);
	cr_expect_eq(kvm_skid_of(999, 1000, 1), 0, "what is missing is not late");
	cr_expect_eq(kvm_skid_of(1007, 1000, 1), 7);
	/* Of an instruction that is not whole, the whole. */
	cr_expect_eq(kvm_skid_of(1004, 1000, 2), 2);
	cr_expect_eq(kvm_skid_of(1005, 1000, 2), 3);
}

Test(skid, margin)
{
	cr_expect_eq(kvm_skid_margin(0), KVM_MARGIN_LEAST);
	cr_expect_eq(kvm_skid_margin(100), KVM_MARGIN_LEAST + 200);
	cr_expect_eq(kvm_skid_margin(KVM_MARGIN_MOST), KVM_MARGIN_MOST);
	cr_expect_eq(kvm_skid_margin(UINT64_MAX), KVM_MARGIN_MOST);
	/* No step down anywhere. */
	for (uint64_t n = 1; n < KVM_MARGIN_MOST; n++)
		cr_assert_geq(kvm_skid_margin(n), kvm_skid_margin(n - 1));
}
