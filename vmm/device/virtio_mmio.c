/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MMIO transports of virtio (virtio 1.2, 4.2), at the addresses of QEMU's "virt" board. The
 * first ones have the devices of the configuration, and are in the device tree. The others have
 * none: a guest that looks for devices at these known addresses finds none there, and continues.
 */
#include <string.h>

#include "device/acpi.h"
#include "device/timer.h"
#include "device/tree.h"
#include "device/virtio.h"
#include "device/virtio_transport.h"

#define VIRTIO_MMIO_BASE  UINT64_C(0x0a000000)
#define VIRTIO_MMIO_SIZE  UINT64_C(0x200) /* of one */
#define VIRTIO_MMIO_SLOTS 32
#define VIRTIO_MMIO_INTID 48

#define MAGIC		 0x000
#define VERSION		 0x004
#define DEVICE_ID	 0x008
#define VENDOR		 0x00c
#define FEATURES	 0x010
#define FEATURES_SEL	 0x014
#define ACCEPTED	 0x020
#define ACCEPTED_SEL	 0x024
#define QUEUE_SEL	 0x030
#define QUEUE_NUM_MAX	 0x034
#define QUEUE_NUM	 0x038
#define QUEUE_READY	 0x044
#define QUEUE_NOTIFY	 0x050
#define INTERRUPT_STATUS 0x060
#define INTERRUPT_ACK	 0x064
#define STATUS		 0x070
#define QUEUE_DESC	 0x080
#define QUEUE_DRIVER	 0x090
#define QUEUE_DEVICE	 0x0a0
#define GENERATION	 0x0fc
#define SHM_LEN_LOW	 0x0b0
#define SHM_LEN_HIGH	 0x0b4
#define SHM_BASE_LOW	 0x0b8
#define SHM_BASE_HIGH	 0x0bc
#define CONFIG		 0x100

/* A request's cost in addition to its bytes: a full queue of small ones is a piece. */
#define REQUEST_WORK (DEVICE_PIECE / VIRTIO_QUEUE_MAX)

_Static_assert(DEVICE_VIRTIO <= DEVICE_INTERRUPTS, "each has an interrupt");
_Static_assert(DEVICE_VIRTIO <= 16, "and a digit of its name");

static void set_interrupt(struct device *device, unsigned int slot, uint32_t interrupt)
{
	struct virtio_transport *transport = &device->config->virtio[slot]->transport;
	const bool level = interrupt != 0;

	transport->interrupt = interrupt;
	if (level == transport->line)
		return;
	transport->line = level;
	device->host->set_line(device->host->ctx, 0, VIRTIO_MMIO_INTID + slot, level);
}

static void give_up(struct device *device, unsigned int slot)
{
	struct virtio_transport *transport = &device->config->virtio[slot]->transport;

	device->config->virtio[slot]->counts.broken++;
	transport->status |= STATUS_NEEDS_RESET;
	if (transport->status & STATUS_DRIVER_OK)
		set_interrupt(device, slot, transport->interrupt | INTERRUPT_CONFIG);
}

static int do_request(struct virtio_device *of, unsigned int index,
		      const struct virtio_memory *memory)
{
	struct virtio_queue *queue = &of->transport.queue[index];
	struct virtio_chain chain;
	uint32_t written = 0;
	int error = virtio_queue_take(queue, memory, &chain);

	if (error == 0)
		error = of->request(of, index, &chain, &written);
	if (error != 0)
		return error;
	queue->done = 0;
	of->work += REQUEST_WORK;
	of->counts.requests++;
	return virtio_queue_put(queue, memory, chain.head, written);
}

/* Has the driver set up a queue, so that its requests may be done? */
static bool queue_runs(const struct virtio_device *of, unsigned int index)
{
	const uint32_t status = of->transport.status;

	return of->transport.queue[index].ready && status & STATUS_DRIVER_OK &&
	       !(status & STATUS_NEEDS_RESET);
}

/* Schedule the rest of a queue for later. */
static void put_off(struct device *device, unsigned int slot, unsigned int index)
{
	struct virtio_transport *transport = &device->config->virtio[slot]->transport;
	const struct device_host *host = device->host;

	transport->queue[index].rest = true;
	transport->resume = timer_later(host->now(host->ctx), DEVICE_PAUSE_NS,
					device->config->choices.counter_hz);
}

/* Do everything that the driver has made available by now, or a piece of it. Schedules the rest. */
static bool do_queue(struct device *device, unsigned int slot, unsigned int index)
{
	struct virtio_device *of = device->config->virtio[slot];
	struct virtio_queue *queue = &of->transport.queue[index];
	const struct virtio_memory memory = {device->host->ctx, device->host->memory};
	const uint16_t before = queue->seen;
	uint16_t until = before;
	bool any;
	int error;

	if (!queue_runs(of, index) || queue->rest)
		return false;
	of->work = 0;
	error = virtio_queue_available(queue, &memory, &until);
	while (error == 0 && queue->seen != until && (!of->can || of->can(of, index)))
		error = virtio_left(of) > 0 ? do_request(of, index, &memory) : VIRTIO_MORE;
	if (error == VIRTIO_MORE)
		put_off(device, slot, index);
	any = queue->seen != before;
	if (any && virtio_queue_interrupts(queue, &memory))
		set_interrupt(device, slot, of->transport.interrupt | INTERRUPT_USED);
	if (error < 0)
		give_up(device, slot);
	return any || error < 0;
}

/* A driver reads the new configuration when it starts, or after an interrupt. */
static bool tell_change(struct device *device, unsigned int slot)
{
	struct virtio_device *of = device->config->virtio[slot];

	if (!of->changed)
		return false;
	of->changed = false;
	of->transport.generation++;
	if (!(of->transport.status & STATUS_DRIVER_OK))
		return false;
	set_interrupt(device, slot, of->transport.interrupt | INTERRUPT_CONFIG);
	return true;
}

/* The same for the queue that waits for something from outside, if the device has one. */
static bool do_arrivals(struct device *device, unsigned int slot)
{
	struct virtio_device *of = device->config->virtio[slot];
	bool told;

	if (!of || !of->arrival)
		return false;
	told = tell_change(device, slot);
	return do_queue(device, slot, of->arrival->queue) || told;
}

/* Continue unfinished queues of a slot, if their time has come. */
static void resume_slot(struct device *device, unsigned int slot)
{
	struct virtio_device *of = device->config->virtio[slot];

	of->transport.resume = 0;
	for (unsigned int i = 0; i < of->queues; i++) {
		if (!of->transport.queue[i].rest)
			continue;
		of->transport.queue[i].rest = false;
		(void)do_queue(device, slot, i);
	}
}

static void virtio_mmio_update(struct device *device, uint64_t now)
{
	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++) {
		const struct virtio_device *of = device->config->virtio[slot];

		if (of && of->transport.resume != 0 && of->transport.resume <= now)
			resume_slot(device, slot);
	}
}

static uint64_t virtio_mmio_deadline(const struct device *device, uint64_t now)
{
	uint64_t deadline = DEVICE_NEVER;

	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++) {
		const struct virtio_device *of = device->config->virtio[slot];
		const uint64_t resume = of ? of->transport.resume : 0;

		if (resume > now && resume < deadline)
			deadline = resume;
	}
	return deadline;
}

static void reset_slot(struct device *device, unsigned int slot)
{
	struct virtio_transport *transport = &device->config->virtio[slot]->transport;

	set_interrupt(device, slot, 0);
	*transport = (struct virtio_transport){0};
}

/* FEATURES_OK stays 0 if the driver accepts features that were not offered, or not virtio 1. */
static void set_status(struct device *device, unsigned int slot, uint32_t value)
{
	struct virtio_device *of = device->config->virtio[slot];
	struct virtio_transport *transport = &of->transport;
	const uint64_t accepted = transport->accepted;

	if (value == 0) {
		reset_slot(device, slot);
		return;
	}
	value &= STATUS_DRIVER;
	if (accepted & ~virtio_offered(of) || !(accepted & FEATURE_VERSION_1))
		value &= ~STATUS_FEATURES_OK;
	if (!(value & STATUS_FEATURES_OK))
		value &= ~STATUS_DRIVER_OK;
	transport->status = value | (transport->status & STATUS_NEEDS_RESET);
}

static void set_word(uint64_t *of, uint64_t word, uint32_t value)
{
	const unsigned int shift = word ? 32 : 0;

	*of = (*of & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)value << shift;
}

/* A register of the selected queue. The queue's layout can only change before it is ready. */
static void write_queue(struct virtio_queue *queue, uint64_t offset, uint32_t value)
{
	if (offset == QUEUE_READY) {
		queue->ready = (value & 1) != 0 && queue->size != 0;
		queue->rest &= queue->ready;
		queue->done = queue->ready ? queue->done : 0;
		return;
	}
	if (queue->ready)
		return;
	switch (offset & ~UINT64_C(4)) {
	case QUEUE_NUM & ~UINT64_C(4):
		if (value <= VIRTIO_QUEUE_MAX && (value & (value - 1)) == 0)
			queue->size = value;
		break;
	case QUEUE_DESC: set_word(&queue->descriptors, offset & 4, value); break;
	case QUEUE_DRIVER: set_word(&queue->driver, offset & 4, value); break;
	case QUEUE_DEVICE: set_word(&queue->device, offset & 4, value); break;
	default: break;
	}
}

static void write_register(struct device *device, unsigned int slot, uint64_t offset,
			   uint32_t value)
{
	struct virtio_device *of = device->config->virtio[slot];
	struct virtio_transport *transport = &of->transport;

	switch (offset) {
	case FEATURES_SEL: transport->features_word = value; break;
	case ACCEPTED_SEL: transport->accepted_word = value; break;
	case ACCEPTED:
		if (transport->accepted_word < 2 && !(transport->status & STATUS_FEATURES_OK))
			set_word(&transport->accepted, transport->accepted_word, value);
		break;
	case QUEUE_SEL: transport->queue_select = value; break;
	case QUEUE_NOTIFY:
		if (value < of->queues)
			(void)do_queue(device, slot, value);
		(void)do_arrivals(device, slot);
		break;
	case INTERRUPT_ACK: set_interrupt(device, slot, transport->interrupt & ~value); break;
	case STATUS: set_status(device, slot, value); break;
	case QUEUE_NUM:
	case QUEUE_READY:
	case QUEUE_DESC:
	case QUEUE_DESC + 4:
	case QUEUE_DRIVER:
	case QUEUE_DRIVER + 4:
	case QUEUE_DEVICE:
	case QUEUE_DEVICE + 4:
		if (transport->queue_select < of->queues)
			write_queue(&transport->queue[transport->queue_select], offset, value);
		break;
	default: break;
	}
}

/* Registers that need a device. With DeviceID 0 all others are RAZ/WI. */
static uint32_t read_register(const struct virtio_device *of, uint64_t offset)
{
	const struct virtio_transport *transport = &of->transport;
	const bool queue = transport->queue_select < of->queues;

	switch (offset) {
	case DEVICE_ID: return of->id;
	case FEATURES:
		return transport->features_word < 2
			       ? (uint32_t)(virtio_offered(of) >> 32 * transport->features_word)
			       : 0;
	case QUEUE_NUM_MAX: return queue ? VIRTIO_QUEUE_MAX : 0;
	case QUEUE_READY: return queue && transport->queue[transport->queue_select].ready;
	case INTERRUPT_STATUS: return transport->interrupt;
	case STATUS: return transport->status;
	/* No device has shared memory: length and address of a missing region are -1. */
	case SHM_LEN_LOW:
	case SHM_LEN_HIGH:
	case SHM_BASE_LOW:
	case SHM_BASE_HIGH: return UINT32_MAX;
	case GENERATION: return transport->generation;
	default: return 0;
	}
}

static uint64_t read_config(const struct virtio_device *of, uint64_t offset, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes && offset + i < VIRTIO_CONFIG; i++)
		value |= (uint64_t)of->config[offset + i] << 8 * i;
	return value;
}

static struct virtio_device *device_at(const struct device *device, uint64_t offset)
{
	const uint64_t slot = offset / VIRTIO_MMIO_SIZE;

	return slot < DEVICE_VIRTIO ? device->config->virtio[slot] : NULL;
}

static uint64_t virtio_mmio_read(struct device *device, unsigned int cpu, uint64_t offset,
				 unsigned int bytes)
{
	const struct virtio_device *of = device_at(device, offset);

	(void)cpu;
	offset %= VIRTIO_MMIO_SIZE;
	if (of && offset >= CONFIG)
		return read_config(of, offset - CONFIG, bytes);
	if (bytes != 4)
		return 0;
	switch (offset) {
	case MAGIC: return 0x74726976; /* "virt" */
	case VERSION: return 2;
	case VENDOR: return 0x45505356; /* "VSPE" */
	default: return of ? read_register(of, offset) : 0;
	}
}

static void virtio_mmio_write(struct device *device, unsigned int cpu, uint64_t offset,
			      unsigned int bytes, uint64_t value)
{
	const struct virtio_device *of = device_at(device, offset);

	if (bytes != 4 || !of)
		return;
	write_register(device, (unsigned int)(offset / VIRTIO_MMIO_SIZE), offset % VIRTIO_MMIO_SIZE,
		       (uint32_t)value);
	if (of->transport.resume != 0)
		device->host->reschedule(device->host->ctx, cpu);
}

/* The interrupt controller is reset too, so no line is set. */
static void virtio_mmio_reset(struct device *device)
{
	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++) {
		struct virtio_device *of = device->config->virtio[slot];

		if (!of)
			continue;
		of->transport = (struct virtio_transport){0};
		of->host = device->host;
		if (of->restart)
			of->restart(of);
	}
}

static void virtio_mmio_node(struct tree *tree, const struct device_config *config)
{
	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++) {
		const uint64_t base = VIRTIO_MMIO_BASE + slot * VIRTIO_MMIO_SIZE;

		if (!config->virtio[slot])
			continue;
		tree_begin(tree, "virtio_mmio@%llx", (unsigned long long)base);
		tree_string(tree, "compatible", "virtio,mmio");
		tree_cells(tree, "reg", TREE_TWO_CELLS(base), TREE_TWO_CELLS(VIRTIO_MMIO_SIZE));
		tree_cells(tree, "interrupts", TREE_SPI(VIRTIO_MMIO_INTID + slot));
		tree_flag(tree, "dma-coherent");
		tree_end(tree);
	}
}

static void virtio_mmio_aml(struct acpi *acpi, const struct device_config *config)
{
	static const char digits[] = "0123456789ABCDEF";

	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++) {
		const char name[] = {'V', 'R', '0', digits[slot % 16], '\0'};

		if (!config->virtio[slot])
			continue;
		acpi_device(acpi, name, "LNRO0005", slot);
		acpi_name(acpi, "_CCA", 1);
		acpi_resources(acpi, (uint32_t)(VIRTIO_MMIO_BASE + slot * VIRTIO_MMIO_SIZE),
			       (uint32_t)VIRTIO_MMIO_SIZE, VIRTIO_MMIO_INTID + slot);
		acpi_close(acpi);
	}
}

/* Slots with a device come first. */
static unsigned int virtio_mmio_sections(const struct device_config *config)
{
	unsigned int count = 0;

	while (count < DEVICE_VIRTIO && config->virtio[count])
		count++;
	return count;
}

/* The device that takes console input, and its slot in *slot. NULL: none does. */
static struct virtio_device *find_input(const struct device *device, unsigned int *slot)
{
	for (*slot = 0; *slot < DEVICE_VIRTIO; ++*slot) {
		struct virtio_device *of = device->config->virtio[*slot];

		if (of && of->input)
			return of;
	}
	return NULL;
}

/* Also before its driver has started: input waits for it. */
static bool virtio_mmio_takes_input(const struct device *device)
{
	unsigned int slot;

	return find_input(device, &slot) != NULL;
}

static size_t virtio_mmio_room(const struct device *device)
{
	unsigned int slot;
	const struct virtio_device *of = find_input(device, &slot);

	return queue_runs(of, of->input->queue) ? of->input->room(of) : 0;
}

static void virtio_mmio_receive(struct device *device, const uint8_t *bytes, size_t count)
{
	unsigned int slot;
	struct virtio_device *of = find_input(device, &slot);

	of->input->receive(of, bytes, count);
	(void)do_queue(device, slot, of->input->queue);
}

/* Is there a buffer for it, and would its driver get an interrupt? */
static bool virtio_mmio_wants_input(const struct device *device)
{
	unsigned int slot;
	const struct virtio_device *of = find_input(device, &slot);
	const struct virtio_queue *queue = &of->transport.queue[of->input->queue];
	const struct virtio_memory memory = {device->host->ctx, device->host->memory};
	uint16_t until;

	return virtio_mmio_room(device) > 0 &&
	       virtio_queue_available(queue, &memory, &until) == 0 && until != queue->seen &&
	       virtio_queue_interrupts(queue, &memory);
}

static bool virtio_mmio_arrive(struct device *device)
{
	bool any = false;

	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++)
		any |= do_arrivals(device, slot);
	return any;
}

/* Only for a driver that is running and would get an interrupt. */
static bool virtio_mmio_waits(const struct device *device)
{
	const struct virtio_memory memory = {device->host->ctx, device->host->memory};

	for (unsigned int slot = 0; slot < DEVICE_VIRTIO; slot++) {
		const struct virtio_device *of = device->config->virtio[slot];

		if (of && of->arrival && of->arrival->waits(of) &&
		    queue_runs(of, of->arrival->queue) &&
		    virtio_queue_interrupts(&of->transport.queue[of->arrival->queue], &memory))
			return true;
	}
	return false;
}

static const struct device_console virtio_mmio_console = {
	.takes_input = virtio_mmio_takes_input,
	.room = virtio_mmio_room,
	.receive = virtio_mmio_receive,
	.wants_input = virtio_mmio_wants_input,
};

/* The state of the transports is in their devices, which belong to the configuration. */
const struct device_type device_virtio_mmio = {
	.name = "virtio-mmio",
	.windows = {{.base = VIRTIO_MMIO_BASE,
		     .size = VIRTIO_MMIO_SLOTS * VIRTIO_MMIO_SIZE,
		     .read = virtio_mmio_read,
		     .write = virtio_mmio_write}},
	.interrupts = {48, 49, 50, 51, 52, 53, 54, 55},
	.reset = virtio_mmio_reset,
	.update = virtio_mmio_update,
	.deadline = virtio_mmio_deadline,
	.arrive = virtio_mmio_arrive,
	.waits = virtio_mmio_waits,
	.section = "DEV ",
	.part = "virtio",
	.sections = virtio_mmio_sections,
	.state = virtio_transport_state,
	.node = virtio_mmio_node,
	.aml = virtio_mmio_aml,
	.console = &virtio_mmio_console,
};
