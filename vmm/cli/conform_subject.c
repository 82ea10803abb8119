/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe conform --subject: a shared object with another implementation. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/conform.h"
#include "conform/subject.h"

/* The members that any LIB.so must have: those of the first version of the header. */
#define SIZE_LEAST offsetof(struct vspe_subject, spe_access)

static bool refuse(const char *path, const char *what)
{
	cli_message(stderr, "vspe conform: --subject %s: %s", path, what);
	return false;
}

#ifndef VSPE_LOADS_SUBJECTS
bool conform_load_subject(struct conform_request *r)
{
	return refuse(r->subject_path, "this vspe is linked statically, and loads no libraries");
}
#else

/* Print the loader's message without the path at its beginning. */
static bool refuse_loading(const char *path, const char *file, const char *error)
{
	const size_t length = strlen(file);

	if (error && strncmp(error, file, length) == 0 && strncmp(error + length, ": ", 2) == 0)
		error += length + 2;
	return refuse(path, error ? error : "it cannot be loaded");
}

/* A name without a slash is a file here, not a system library. */
static char *file_of(const char *path)
{
	const bool bare = !strchr(path, '/');
	char *file = malloc(strlen(path) + sizeof("./"));

	if (file)
		(void)sprintf(file, "%s%s", bare ? "./" : "", path);
	return file;
}

/* Check every value in the file, but trust its functions to be functions. */
static bool take_subject(struct conform_request *r, const struct vspe_subject *theirs)
{
	char what[128];
	size_t size;

	if (theirs->version != VSPE_SUBJECT_VERSION) {
		(void)snprintf(what, sizeof(what),
			       "vspe_subject.version is %u, and this vspe has %u", theirs->version,
			       VSPE_SUBJECT_VERSION);
		return refuse(r->subject_path, what);
	}
	size = theirs->size;
	if (size < SIZE_LEAST || size % sizeof(void *) != 0) {
		(void)snprintf(
			what, sizeof(what),
			"vspe_subject.size is %zu, and has to be sizeof(struct vspe_subject)",
			size);
		return refuse(r->subject_path, what);
	}
	/* Functions of a later header are never called, and an earlier one need not have all. */
	memcpy(&r->subject, theirs, size < sizeof(r->subject) ? size : sizeof(r->subject));
	return true;
}

bool conform_load_subject(struct conform_request *r)
{
	char *file = file_of(r->subject_path);
	const void *symbol;
	void *library;
	bool taken;

	if (!file)
		return refuse(r->subject_path, strerror(ENOMEM));
	/* It stays loaded until the end. */
	library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (library) {
		symbol = dlsym(library, "vspe_subject");
		taken = symbol ? take_subject(r, symbol)
			       : refuse(r->subject_path,
					"no symbol vspe_subject in it: see <vspe/subject.h>");
	} else {
		taken = refuse_loading(r->subject_path, file, dlerror());
	}
	free(file);
	return taken;
}
#endif
