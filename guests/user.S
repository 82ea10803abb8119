/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small functions of EL0 for several guests.
 */
	.section .user.text, "ax"

/* uint64_t user_add(a, b): proves that arguments and results pass. */
	.globl	user_add
user_add:
	add	x0, x0, x1
	ret

/* uint64_t user_load(va) and user_store(va, value) */
	.globl	user_load
user_load:
	ldr	x0, [x0]
	ret

	.globl	user_store
user_store:
	str	x1, [x0]
	ret

/* uint64_t user_spin(va): until the word at va is not zero; its value. */
	.globl	user_spin
user_spin:
	ldr	w1, [x0]
	cbz	w1, user_spin
	mov	x0, x1
	ret
