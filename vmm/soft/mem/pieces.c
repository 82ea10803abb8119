/* SPDX-License-Identifier: BSD-2-Clause */
/* See pieces.h. */
#include "soft/mem/pieces.h"

#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"
#include "soft/mem/touched.h"

#include <string.h>

void soft_pieces_begin(struct soft_cpu *cpu, struct soft_pieces *p, uint8_t *image,
		       unsigned int element, bool write)
{
	soft_touched_begin(cpu);
	p->image = image;
	p->element = (uint8_t)element;
	p->write = write;
	p->gathers = false;
	p->count = 0;
}

static void add_part(struct soft_pieces *p, uint64_t va, unsigned int offset, unsigned int size,
		     bool unaligned)
{
	if (p->count < SOFT_PIECES)
		p->at[p->count++] =
			(struct soft_piece){va, (uint16_t)offset, (uint16_t)size, unaligned};
}

void soft_pieces_add(struct soft_pieces *p, uint64_t va, unsigned int offset, unsigned int size)
{
	const uint64_t here = SOFT_PAGE_SIZE - va % SOFT_PAGE_SIZE;
	const bool unaligned = va & (p->element - 1u);

	if (size <= here) {
		add_part(p, va, offset, size, unaligned);
		return;
	}
	add_part(p, va, offset, (unsigned int)here, unaligned);
	add_part(p, va + here, offset + (unsigned int)here, size - (unsigned int)here, unaligned);
}

/* Where a piece is: host is set if it is RAM whose writes nobody watches. */
struct found {
	uint8_t *host;
	struct soft_place place;
};

/* By the software TLB, as the fast handlers find it, or NULL. */
static uint8_t *find_fast(const struct soft_cpu *cpu, const struct soft_piece *piece, bool write,
			  bool device)
{
	const struct soft_tlb_entry *entry = soft_tlb_entry(cpu, piece->va);

	if ((write ? entry->write : entry->read) != (piece->va & SOFT_PAGE_MASK))
		return NULL;
	if ((piece->unaligned && cpu->all_aligned) ||
	    (entry->device && (piece->unaligned || !device)))
		return NULL;
	return (uint8_t *)((uintptr_t)piece->va + entry->add);
}

static struct soft_bytes bytes_of(const struct soft_pieces *p, const struct soft_piece *piece)
{
	return (struct soft_bytes){
		.va = piece->va,
		.size = piece->size,
		.element = p->element,
		.write = p->write,
		.data = p->image + piece->offset,
	};
}

static bool find(struct soft_cpu *cpu, const struct soft_pieces *p, const struct soft_piece *piece,
		 struct found *found)
{
	const struct soft_bytes bytes = bytes_of(p, piece);

	found->host = find_fast(cpu, piece, p->write, true);
	if (found->host)
		return true;
	if (piece->unaligned && cpu->all_aligned)
		return soft_data_abort(cpu, piece->va, ARM_FSC_ALIGNMENT, p->write);
	return soft_find_bytes(cpu, &bytes, piece->unaligned, &found->place);
}

/* It has been found. */
static bool move(struct soft_cpu *cpu, const struct soft_pieces *p, const struct soft_piece *piece,
		 const struct found *found)
{
	const struct soft_bytes bytes = bytes_of(p, piece);
	bool moved = true;

	if (!found->host)
		moved = soft_move_found(cpu, &bytes, &found->place);
	else if (p->write)
		memcpy(found->host, bytes.data, bytes.size);
	else
		memcpy(bytes.data, found->host, bytes.size);
	if (SOFT_UNLIKELY(cpu->vm->model) && moved)
		soft_touched_note(cpu, &bytes, p->gathers);
	return moved;
}

bool soft_pieces_move(struct soft_cpu *cpu, const struct soft_pieces *p)
{
	struct found found[SOFT_PIECES];

	for (unsigned int n = 0; n < p->count; n++) {
		if (!find(cpu, p, &p->at[n], &found[n]))
			return false;
	}
	for (unsigned int n = 0; n < p->count; n++) {
		const struct soft_bytes bytes = bytes_of(p, &p->at[n]);

		if (soft_bytes_watched(cpu, &bytes))
			return false;
	}
	for (unsigned int n = 0; n < p->count; n++) {
		if (!move(cpu, p, &p->at[n], &found[n]))
			return false;
	}
	return true;
}

/* The same of a load that may not fault. Device memory is as unaligned accesses find it. */
static bool find_quietly(struct soft_cpu *cpu, const struct soft_pieces *p,
			 const struct soft_piece *piece, struct found *found)
{
	const struct soft_bytes bytes = bytes_of(p, piece);

	found->host = find_fast(cpu, piece, false, false);
	if (found->host)
		return true;
	return !(piece->unaligned && cpu->all_aligned) &&
	       soft_find_bytes(cpu, &bytes, true, &found->place) && found->place.host &&
	       !soft_bytes_watched(cpu, &bytes);
}

bool soft_pieces_try(struct soft_cpu *cpu, const struct soft_pieces *p)
{
	const struct soft_exception before = cpu->fault;
	struct found found[SOFT_PIECES];

	for (unsigned int n = 0; n < p->count; n++) {
		if (find_quietly(cpu, p, &p->at[n], &found[n]))
			continue;
		cpu->fault = before;
		return false;
	}
	for (unsigned int n = 0; n < p->count; n++)
		(void)move(cpu, p, &p->at[n], &found[n]);
	return true;
}
