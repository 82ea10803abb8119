/* SPDX-License-Identifier: BSD-2-Clause */
/* The extension _vspe: see module.h. */
#include "module.h"

#include "guard.h"
#include "trace/source.h"

#include <errno.h>
#include <stdlib.h>

/* How often Python is asked whether the user has interrupted it: pieces of input. */
#define PIECES 64u

/*
 * Memory.
 */

struct memory {
	PyObject object;
	struct rows_list list;
};

static PyTypeObject *memory_type;

static void memory_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	rows_unmap(((struct memory *)self)->list.at, ((struct memory *)self)->list.mapped);
	PyObject_Free(self);
	Py_DECREF(type);
}

static int memory_buffer(PyObject *self, Py_buffer *view, int flags)
{
	static uint8_t nothing;
	const struct rows_list *list = &((struct memory *)self)->list;

	return PyBuffer_FillInfo(view, self, list->at ? list->at : &nothing, (Py_ssize_t)list->used,
				 0, flags);
}

static PyType_Slot memory_slots[] = {
	{Py_tp_dealloc, memory_dealloc},
	{Py_bf_getbuffer, memory_buffer},
	{Py_tp_doc, (void *)"Memory that an array of NumPy may be of."},
	{0, NULL},
};

static PyType_Spec memory_spec = {
	.name = "vspe._vspe.Memory",
	.basicsize = sizeof(struct memory),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = memory_slots,
};

PyObject *module_take_list(struct rows_list *list)
{
	struct memory *memory = PyObject_New(struct memory, memory_type);

	if (!memory)
		return NULL;
	rows_fit(list);
	memory->list = *list;
	*list = (struct rows_list){0};
	return (PyObject *)memory;
}

int module_get_rows(PyObject *argument, size_t entry, Py_buffer *buffer)
{
	if (PyObject_GetBuffer(argument, buffer, PyBUF_SIMPLE))
		return -1;
	if ((size_t)buffer->len % entry == 0)
		return 0;
	PyBuffer_Release(buffer);
	PyErr_SetString(PyExc_ValueError, "the size is not that of whole records");
	return -1;
}

/*
 * Input.
 */

int module_open(PyObject *argument, struct module_source *source)
{
	*source = (struct module_source){0};
	if (PyLong_Check(argument)) {
		const long descriptor = PyLong_AsLong(argument);

		if (descriptor < 0 || descriptor > INT32_MAX) {
			if (!PyErr_Occurred())
				PyErr_SetString(PyExc_ValueError, "a descriptor is not negative");
			return -1;
		}
		source->stream.descriptor = (int)descriptor;
	} else {
		if (PyObject_GetBuffer(argument, &source->buffer, PyBUF_SIMPLE))
			return -1;
		source->stream.bytes = source->buffer.buf;
		source->stream.size = (size_t)source->buffer.len;
	}
	source->file = stream_open(&source->stream);
	if (source->file)
		return 0;
	module_close(source);
	PyErr_NoMemory();
	return -1;
}

void module_close(struct module_source *source)
{
	if (source->file)
		fclose(source->file);
	if (source->stream.bytes)
		PyBuffer_Release(&source->buffer);
	*source = (struct module_source){0};
}

/* Add value, which is taken, to a list that is made at need; value or the list may be NULL. */
static int append(PyObject *list, PyObject *value)
{
	const int failed = !value || PyList_Append(list, value);

	Py_XDECREF(value);
	return failed ? -1 : 0;
}

static PyObject *loss_tuple(const struct input_result *result, enum input_loss loss)
{
	const struct input_loss_count *count = &result->losses[loss];
	char words[INPUT_LINE_WORDS];
	uint64_t share;
	PyObject *part;

	if (input_loss_share(result, loss, &share))
		part = PyFloat_FromDouble((double)share / 10000);
	else
		part = Py_NewRef(Py_None);
	if (!part)
		return NULL;
	return Py_BuildValue("sKKKNiis", input_loss_name(loss), (unsigned long long)count->times,
			     (unsigned long long)count->lost, (unsigned long long)count->bytes,
			     part, (int)count->first.cpu, (int)count->first.tid,
			     input_loss_words(result, loss, words));
}

static PyObject *loss_list(const struct input_result *result)
{
	PyObject *list = PyList_New(0);

	for (unsigned int i = 0; list && i < INPUT_LOSSES; i++)
		if (result->losses[i].times && append(list, loss_tuple(result, (enum input_loss)i)))
			Py_CLEAR(list);
	return list;
}

PyObject *module_result(int code, const struct input_result *result)
{
	const struct input_damage *damage = &result->damage;
	char words[INPUT_LINE_WORDS];
	PyObject *losses = loss_list(result);

	if (!losses)
		return NULL;
	return Py_BuildValue(
		"{s:i,s:s,s:K,s:K,s:k,s:K,s:(KKKiis),s:N}", "code", code, "problem",
		result->problem, "records", (unsigned long long)result->records, "bytes",
		(unsigned long long)result->bytes, "midr", (unsigned long)result->midr, "aux_bytes",
		(unsigned long long)result->aux_bytes, "damage", (unsigned long long)damage->bytes,
		(unsigned long long)damage->records, (unsigned long long)damage->first,
		(int)damage->origin.cpu, (int)damage->origin.tid, input_damage_words(damage, words),
		"losses", losses);
}

/*
 * Reading.
 */

struct reading {
	struct module_source source;
	struct rows rows;
	size_t block;	/* records that take() gets at a time */
	PyObject *take; /* what it is given to */
	PyThreadState *state;
	unsigned int pieces;
	bool no_memory;
	struct input_result result;
	int code;
};

/* Give what there is to Python. The input ends if that raises. */
static void give_rows(struct reading *reading)
{
	PyObject *records, *extras, *answer = NULL;

	PyEval_RestoreThread(reading->state);
	records = module_take_list(&reading->rows.records);
	extras = module_take_list(&reading->rows.extras);
	if (records && extras)
		answer = PyObject_CallFunctionObjArgs(reading->take, records, extras, NULL);
	Py_XDECREF(records);
	Py_XDECREF(extras);
	reading->source.stream.stopped = !answer;
	rows_expect(&reading->rows, stream_size(&reading->source.stream), reading->block);
	Py_XDECREF(answer);
	reading->state = PyEval_SaveThread();
}

static void take_record(void *ctx, const struct input_record *record)
{
	struct reading *reading = ctx;

	if (!record->size || reading->source.stream.stopped)
		return;
	if (!rows_add(&reading->rows, record)) {
		reading->no_memory = true;
		reading->source.stream.stopped = true;
	} else if (rows_count(&reading->rows) == reading->block) {
		give_rows(reading);
	}
}

static void take_progress(void *ctx, uint64_t bytes)
{
	struct reading *reading = ctx;

	(void)bytes;
	if (++reading->pieces % PIECES || reading->source.stream.stopped)
		return;
	PyEval_RestoreThread(reading->state);
	reading->source.stream.stopped = PyErr_CheckSignals() != 0;
	reading->state = PyEval_SaveThread();
}

static void read_input(void *ctx)
{
	struct reading *reading = ctx;
	const struct input_sink sink = {
		.ctx = reading, .record = take_record, .progress = take_progress};

	rows_expect(&reading->rows, stream_size(&reading->source.stream), reading->block);
	reading->code = input_read(reading->source.file, &sink, &reading->result);
	if (reading->source.stream.stopped)
		return;
	give_rows(reading);
}

/* read(source, block, take) -> dict */
static PyObject *module_read(PyObject *module, PyObject *arguments)
{
	struct reading reading = {0};
	PyObject *argument, *answer = NULL;
	Py_ssize_t block;
	bool done;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "OnO:read", &argument, &block, &reading.take) ||
	    module_open(argument, &reading.source))
		return NULL;
	reading.block = (size_t)block;
	reading.state = PyEval_SaveThread();
	done = guard_memory(read_input, &reading);
	PyEval_RestoreThread(reading.state);
	if (!done || reading.no_memory)
		PyErr_NoMemory();
	else if (!reading.source.stream.stopped)
		answer = module_result(reading.code, &reading.result);
	module_close(&reading.source);
	rows_free(&reading.rows);
	return answer;
}

/* decode(buffer, offset, cpu, tid) -> (Memory, Memory) */
static PyObject *module_decode(PyObject *module, PyObject *arguments)
{
	struct rows rows = {0};
	struct input_origin origin;
	unsigned long long offset;
	PyObject *records = NULL, *extras = NULL;
	Py_buffer buffer;
	bool done;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "y*Kii:decode", &buffer, &offset, &origin.cpu,
			      &origin.tid))
		return NULL;
	Py_BEGIN_ALLOW_THREADS done =
		rows_decode(&rows, buffer.buf, (size_t)buffer.len, origin, offset);
	Py_END_ALLOW_THREADS PyBuffer_Release(&buffer);
	if (!done)
		PyErr_NoMemory();
	else if ((records = module_take_list(&rows.records)))
		extras = module_take_list(&rows.extras);
	rows_free(&rows);
	if (extras)
		return Py_BuildValue("(NN)", records, extras);
	Py_XDECREF(records);
	return NULL;
}

/*
 * Tables.
 */

/* sources(midr) -> {number: name} */
static PyObject *module_sources(PyObject *module, PyObject *arguments)
{
	PyObject *names = PyDict_New();
	unsigned long midr;

	(void)module;
	if (!names || !PyArg_ParseTuple(arguments, "k:sources", &midr))
		goto fail;
	for (uint32_t number = 0; number <= UINT16_MAX; number++) {
		const struct source *source =
			source_find(source_set((uint32_t)midr), (uint16_t)number);
		PyObject *key, *value;
		int failed;

		if (!source)
			continue;
		key = PyLong_FromUnsignedLong(number);
		value = PyUnicode_FromString(source->name);
		failed = !key || !value || PyDict_SetItem(names, key, value);
		Py_XDECREF(key);
		Py_XDECREF(value);
		if (failed)
			goto fail;
	}
	return names;
fail:
	Py_XDECREF(names);
	return NULL;
}

/* core(text) -> MIDR_EL1, or None if it is no core */
static PyObject *module_core(PyObject *module, PyObject *arguments)
{
	const char *text;
	uint32_t midr;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "s:core", &text))
		return NULL;
	if (!source_midr(text, &midr) || !midr)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(midr);
}

static int add_list(PyObject *module, const char *name, PyObject *list)
{
	const int failed = !list || PyModule_AddObjectRef(module, name, list);

	Py_XDECREF(list);
	return failed ? -1 : 0;
}

/* [(name, type, offset, has)] of the members of a struct. */
struct column {
	const char *name, *numpy;
	size_t offset;
	unsigned long has;
};

static PyObject *column_list(const struct column *columns, size_t count)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < count; i++)
		if (append(list, Py_BuildValue("(ssnk)", columns[i].name, columns[i].numpy,
					       (Py_ssize_t)columns[i].offset, columns[i].has)))
			Py_CLEAR(list);
	return list;
}

static int add_tables(PyObject *module)
{
	static const struct column columns[] = {
#define COLUMN(type, numpy, name, has, value) {#name, numpy, offsetof(struct row, name), has},
#include "columns.def"
#undef COLUMN
	};
	static const struct column extras[] = {
		{"row", "u8", offsetof(struct row_extra, row), 0},
		{"value", "u8", offsetof(struct row_extra, value), 0},
		{"address", "?", offsetof(struct row_extra, address), 0},
		{"index", "u1", offsetof(struct row_extra, index), 0},
	};
	PyObject *events = PyList_New(0);

	for (unsigned int bit = 0; events && bit < 64; bit++)
		if (append(events, Py_BuildValue("z", record_event_name(bit))))
			Py_CLEAR(events);
	if (add_list(module, "events", events) ||
	    add_list(module, "columns", column_list(columns, sizeof(columns) / sizeof(*columns))) ||
	    add_list(module, "extras", column_list(extras, sizeof(extras) / sizeof(*extras))))
		return -1;
	return PyModule_AddIntConstant(module, "row_size", sizeof(struct row)) ||
			       PyModule_AddIntConstant(module, "extra_size",
						       sizeof(struct row_extra)) ||
			       PyModule_AddIntConstant(module, "any_midr", INPUT_ANY_MIDR)
		       ? -1
		       : 0;
}

static PyMethodDef methods[] = {
	{"read", module_read, METH_VARARGS, NULL},
	{"decode", module_decode, METH_VARARGS, NULL},
	{"sources", module_sources, METH_VARARGS, NULL},
	{"core", module_core, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "_vspe",
	.m_doc = "What vspe/__init__.py is made of.",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__vspe(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (!module)
		return NULL;
	memory_type = (PyTypeObject *)PyType_FromSpec(&memory_spec);
	if (memory_type && !add_tables(module) && !module_add_names(module))
		return module;
	Py_DECREF(module);
	return NULL;
}
