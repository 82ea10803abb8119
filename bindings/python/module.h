/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extension _vspe: decoding and reading into memory that Python has by its buffer protocol. It
 * keeps to CPython's stable ABI of 3.11, so that one file serves all later versions, and includes
 * nothing of NumPy's. What users call is in vspe/.
 */
#ifndef VSPE_PYTHON_MODULE_H
#define VSPE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rows.h"
#include "stream.h"

/* What input_read() reads: bytes, or a file's descriptor. */
struct module_source {
	struct stream stream;
	Py_buffer buffer; /* held while stream.bytes is not NULL */
	FILE *file;
};

/*
 * Open what an argument is of: an int is a descriptor, all else has the buffer protocol. 0, or -1
 * with an exception. To be closed.
 */
int module_open(PyObject *argument, struct module_source *source);
void module_close(struct module_source *source);

/*
 * The list as an object with the buffer protocol, which has its memory from now on; list is empty
 * then. NULL: an exception.
 */
PyObject *module_take_list(struct rows_list *list);

/* Rows of size entry in an argument. -1 with an exception, or 0 with a buffer to be released. */
int module_get_rows(PyObject *argument, size_t entry, Py_buffer *buffer);

/* (code, line): how input_read() ended: -EIO and the like, and in words. */
PyObject *module_result(int code, const struct input_result *result);

/* Add the type Names. */
int module_add_names(PyObject *module);

#endif
