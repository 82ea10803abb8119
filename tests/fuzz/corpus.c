/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target without libFuzzer: every file of a folder is an input once, and so is nothing at all.
 * Usage: corpus_NAME FOLDER.
 */
#include "input.h"

#include <dirent.h>
#include <stdio.h>

static void run_file(const char *folder, const char *name)
{
	uint8_t *bytes = NULL;
	char path[4096];
	long size;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	require(file && fseek(file, 0, SEEK_END) == 0);
	size = ftell(file);
	rewind(file);
	require(size >= 0 && (bytes = malloc(size ? (size_t)size : 1)) != NULL);
	require(fread(bytes, 1, (size_t)size, file) == (size_t)size);
	(void)fclose(file);
	printf("%s\n", name); /* the last one is the one that failed */
	(void)fflush(stdout);
	(void)LLVMFuzzerTestOneInput(bytes, (size_t)size);
	free(bytes);
}

int main(int argc, char **argv)
{
	const struct dirent *entry;
	unsigned int count = 0;
	DIR *folder;

	if (argc != 2 || !(folder = opendir(argv[1]))) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	(void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		run_file(argv[1], entry->d_name);
		count++;
	}
	(void)closedir(folder);
	if (count == 0)
		fprintf(stderr, "%s: no input there\n", argv[1]);
	return count ? 0 : 1;
}
