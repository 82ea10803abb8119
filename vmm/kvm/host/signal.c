/* SPDX-License-Identifier: BSD-2-Clause */
/* A signal for KVM_RUN alone: see host.h. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "kvm/host/host.h"

#define SIGSET_BYTES 8 /* the kernel's sigset_t on arm64 */

static void set_of(int signal, sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, signal);
}

int kvm_signal_set_up(int vcpu, int signal)
{
	union {
		struct kvm_signal_mask mask;
		uint8_t bytes[sizeof(struct kvm_signal_mask) + SIGSET_BYTES];
	} inside = {.mask = {.len = SIGSET_BYTES}};
	sigset_t blocked, before;

	set_of(signal, &blocked);
	(void)pthread_sigmask(SIG_BLOCK, &blocked, &before);
	(void)sigdelset(&before, signal);
	memcpy(inside.mask.sigset, &before, SIGSET_BYTES);
	return ioctl(vcpu, KVM_SET_SIGNAL_MASK, &inside);
}

unsigned int kvm_signal_drain(int signal)
{
	const struct timespec none = {0};
	unsigned int files = 0;
	siginfo_t info;
	sigset_t pending;

	set_of(signal, &pending);
	while (sigtimedwait(&pending, &info, &none) > 0)
		files += info.si_code > 0;
	return files;
}
