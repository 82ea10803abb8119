/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a record is of, and where: the type Names, over vmm/trace's threads, dsos and symbols, in the
 * order in which vspe report asks them.
 */
#include "module.h"

#include "guard.h"
#include "trace/dsos.h"
#include "trace/report_map.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of a record. The numbers are names' or, if it is not known, -1. */
struct place {
	uint64_t time;	 /* ns of perf's clock; 0: not known */
	uint64_t offset; /* byte of the file object */
	int32_t pid, tid;
	int32_t command, object, symbol;
	uint32_t reserved;
};

struct names {
	PyObject object;
	struct threads *threads; /* NULL: the file names none */
	struct dsos *dsos;
	struct symbols *symbols;
	struct report_map commands; /* numbers of names, by those of threads */
	pthread_mutex_t mutex;	    /* of them all: what looks up remembers where it was */
};

/* One call, without Python's lock. */
struct names_call {
	struct names *names;
	struct module_source source;
	const char *symfs;
	const struct row *rows;
	size_t count, column; /* offset of an address in a row */
	struct rows_list places;
	uint32_t has; /* the address is there if the row has it */
	int error;
};

static void take_event(void *ctx, const struct input_event *event)
{
	threads_event(ctx, event);
}

static void load(void *ctx)
{
	struct names_call *call = ctx;
	struct names *names = call->names;
	struct threads *threads = threads_new();
	const struct input_sink sink = {.ctx = threads, .event = take_event};
	struct input_result result;
	const char *anchor = NULL;
	uint64_t address;

	/* What is wrong with the file is said when its records are read. */
	(void)input_read(call->source.file, &sink, &result);
	if (threads_any(threads)) {
		names->threads = threads;
		threads_ready(threads);
		anchor = threads_anchor(threads, &address);
	} else {
		anchor = threads_anchor(threads, &address);
		if (anchor)
			(void)symbols_anchor(names->symbols, anchor, address);
		anchor = NULL;
		threads_free(threads);
	}
	if (names->threads || call->symfs) {
		names->dsos = dsos_new(names->threads);
		call->error = dsos_load(names->dsos, call->symfs, names->symbols);
	}
	if (anchor)
		(void)symbols_anchor(names->symbols, anchor, address);
}

/* The number of a name, from 0 on as they come. */
static int32_t command_of(struct names *names, uint32_t name)
{
	int32_t *number = report_map_at(&names->commands, name, 0);

	if (number && !*number)
		*number = (int32_t)names->commands.count;
	return number ? *number - 1 : -1;
}

static void locate_one(struct names *names, const struct row *row, bool there, uint64_t address,
		       struct place *place)
{
	const struct input_origin origin = {.cpu = row->cpu, .tid = row->tid};
	const struct sample sample = {.has = row->has,
				      .time = row->timestamp,
				      .context = {row->contextidr_el1, row->contextidr_el2}};
	struct threads_who who = {THREADS_UNKNOWN, UINT64_MAX};
	uint32_t object;
	long symbol;

	*place = (struct place){.pid = -1, .tid = -1, .command = -1, .object = -1, .symbol = -1};
	if (names->threads) {
		who = threads_who(names->threads, origin, &sample);
		place->time = who.time == UINT64_MAX ? 0 : who.time;
	}
	if (who.life != THREADS_UNKNOWN) {
		const struct threads_life life = threads_life(names->threads, who.life);

		place->pid = life.pid;
		place->tid = life.tid;
		place->command = command_of(names, life.name);
	}
	if (!there)
		return;
	if (names->threads && threads_find(names->threads, who, address, &object, &place->offset))
		place->object = (int32_t)object;
	if (names->dsos)
		address = dsos_place(names->dsos, names->threads, who, names->symbols, address);
	symbol = symbols_find(names->symbols, address);
	place->symbol = symbol < 0 ? -1 : (int32_t)symbol;
}

static void locate(void *ctx)
{
	struct names_call *call = ctx;
	struct place *places = (void *)call->places.at;

	for (size_t i = 0; i < call->count; i++) {
		const struct row *row = &call->rows[i];
		uint64_t address;

		memcpy(&address, (const uint8_t *)row + call->column, sizeof(address));
		locate_one(call->names, row, row->has & call->has, address, &places[i]);
	}
	call->places.used = call->count * sizeof(struct place);
}

/* Without Python's lock, and with that of names. false: no memory. */
static bool without_python(void (*work)(void *ctx), struct names_call *call)
{
	bool done;

	Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&call->names->mutex);
	done = guard_memory(work, call);
	pthread_mutex_unlock(&call->names->mutex);
	Py_END_ALLOW_THREADS if (!done) PyErr_NoMemory();
	return done;
}

static void names_dealloc(PyObject *self)
{
	struct names *names = (struct names *)self;
	PyTypeObject *type = Py_TYPE(self);

	symbols_free(names->symbols);
	dsos_free(names->dsos);
	threads_free(names->threads);
	report_map_free(&names->commands);
	pthread_mutex_destroy(&names->mutex);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static void set_up(void *ctx)
{
	struct names *names = ctx;

	report_map_init(&names->commands, sizeof(int32_t), THREADS_MOST);
	names->symbols = symbols_new();
}

/* One of symbols=: (path, address or None). */
static int add_symbols(struct names *names, PyObject *item)
{
	unsigned long long address = 0;
	PyObject *where;
	const char *path;
	int error;

	if (!PyArg_ParseTuple(item, "yO", &path, &where))
		return -1;
	if (where != Py_None) {
		address = PyLong_AsUnsignedLongLong(where);
		if (PyErr_Occurred())
			return -1;
	}
	error = symbols_add(names->symbols, path, where != Py_None, address);
	if (!error)
		return 0;
	PyErr_Format(PyExc_ValueError, "%s: %s", path, symbols_strerror(error));
	return -1;
}

/* Names(source, [(path, address)], symfs) */
static PyObject *names_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct names *names =
		(struct names *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
	struct names_call call = {.names = names};
	PyObject *argument, *symbols;
	bool done = false;

	(void)keywords;
	if (!names)
		return NULL;
	pthread_mutex_init(&names->mutex, NULL);
	if (!PyArg_ParseTuple(arguments, "OO!z:Names", &argument, &PyList_Type, &symbols,
			      &call.symfs))
		goto end;
	if (!guard_memory(set_up, names)) {
		PyErr_NoMemory();
		goto end;
	}
	for (Py_ssize_t i = 0; i < PyList_Size(symbols); i++)
		if (add_symbols(names, PyList_GetItem(symbols, i)))
			goto end;
	if (module_open(argument, &call.source))
		goto end;
	done = without_python(load, &call);
	module_close(&call.source);
	if (done && call.error) {
		errno = -call.error;
		PyErr_SetFromErrnoWithFilename(PyExc_OSError, call.symfs ? call.symfs : "/");
		done = false;
	}
end:
	if (done)
		return (PyObject *)names;
	Py_DECREF(names);
	return NULL;
}

/* locate(rows, offset of an address, has) -> Memory of struct place */
static PyObject *names_locate(PyObject *self, PyObject *arguments)
{
	struct names_call call = {.names = (struct names *)self};
	PyObject *argument, *answer = NULL;
	unsigned long has;
	Py_ssize_t column;
	Py_buffer buffer;

	if (!PyArg_ParseTuple(arguments, "Onk:locate", &argument, &column, &has))
		return NULL;
	if (column < 0 || (size_t)column > sizeof(struct row) - sizeof(uint64_t)) {
		PyErr_SetString(PyExc_ValueError, "no address is there");
		return NULL;
	}
	if (module_get_rows(argument, sizeof(struct row), &buffer))
		return NULL;
	call.rows = buffer.buf;
	call.count = (size_t)buffer.len / sizeof(struct row);
	call.column = (size_t)column;
	call.has = (uint32_t)has;
	if (!rows_make_room(&call.places, call.count * sizeof(struct place)))
		PyErr_NoMemory();
	else if (without_python(locate, &call))
		answer = module_take_list(&call.places);
	rows_unmap(call.places.at, call.places.mapped);
	PyBuffer_Release(&buffer);
	return answer;
}

/* Text of a file or of symbols, as Python has names of files: bytes that are no UTF-8 stay. */
static PyObject *text(const char *bytes)
{
	return PyUnicode_DecodeFSDefault(bytes);
}

/* commands() -> [str]: by the numbers that locate() gave. */
static PyObject *names_commands(PyObject *self, PyObject *arguments)
{
	const struct names *names = (struct names *)self;
	PyObject *list = PyList_New(0);

	(void)arguments;
	for (uint32_t i = 0; list && i < names->commands.count; i++) {
		const struct report_key *key = report_map_key(&names->commands, i);
		PyObject *item = text(threads_name(names->threads, (uint32_t)key->a));

		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

/* symbol(number) -> (name, start, size). */
static PyObject *names_symbol(PyObject *self, PyObject *arguments)
{
	const struct names *names = (struct names *)self;
	struct symbol symbol;
	long number;

	if (!PyArg_ParseTuple(arguments, "l:symbol", &number))
		return NULL;
	if (number < 0 || (size_t)number >= symbols_count(names->symbols)) {
		PyErr_SetString(PyExc_IndexError, "no symbol of that number");
		return NULL;
	}
	symbol = symbols_get(names->symbols, number);
	return Py_BuildValue("(NKK)", text(symbol.name), (unsigned long long)symbol.start,
			     (unsigned long long)symbol.size);
}

/* objects() -> [(path, build id in hexadecimal digits, is it the kernel's, what is known)] */
static PyObject *names_objects(PyObject *self, PyObject *arguments)
{
	const struct names *names = (struct names *)self;
	const uint32_t count = names->threads ? threads_dsos(names->threads) : 0;
	PyObject *list = PyList_New(0);

	(void)arguments;
	for (uint32_t i = 0; list && i < count; i++) {
		const struct threads_dso dso = threads_dso(names->threads, i);
		char id[THREADS_BUILD_ID_TEXT];
		PyObject *item =
			Py_BuildValue("(NsNs)", text(dso.path), threads_build_id(&dso, id),
				      PyBool_FromLong(dso.kernel), dsos_state(names->dsos, i));

		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

/* named() -> (whether the file names processes, events that found no place) */
static PyObject *names_named(PyObject *self, PyObject *arguments)
{
	const struct names *names = (struct names *)self;

	(void)arguments;
	return Py_BuildValue("(NK)", PyBool_FromLong(names->threads != NULL),
			     names->threads ? (unsigned long long)threads_dropped(names->threads)
					    : 0);
}

static PyMethodDef methods[] = {
	{"locate", names_locate, METH_VARARGS, NULL},
	{"commands", names_commands, METH_NOARGS, NULL},
	{"symbol", names_symbol, METH_VARARGS, NULL},
	{"objects", names_objects, METH_NOARGS, NULL},
	{"named", names_named, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_new, names_new},
	{Py_tp_dealloc, names_dealloc},
	{Py_tp_methods, methods},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "vspe._vspe.Names",
	.basicsize = sizeof(struct names),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int module_add_names(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);
	const int failed = !type || PyModule_AddObjectRef(module, "Names", type) ||
			   PyModule_AddIntConstant(module, "place_size", sizeof(struct place));

	Py_XDECREF(type);
	return failed ? -1 : 0;
}
