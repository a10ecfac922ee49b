#define _GNU_SOURCE
#include "forward.h"

#include <dlfcn.h>
#include <errno.h> // program_invocation_name
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDERS = 8 }; // of packages that are looked into

// struct hunt is a search for a library, which ends when found is set.
struct hunt { const char *name; void *found; char own[PATH_MAX]; };

// open_one loads a file, unless it is the library that this code is in.
static int open_one(struct hunt *h, const char *path) {
	char real[PATH_MAX];
	if (!realpath(path, real) || !strcmp(real, h->own)) return 0;
	h->found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return h->found != NULL;
}

// open_like loads the first library of the name that a pattern of folders has.
static int open_like(struct hunt *h, const char *folder, int length, const char *rest) {
	char pattern[PATH_MAX];
	glob_t list;
	if (snprintf(pattern, sizeof pattern, "%.*s%s/%s", length, folder, rest, h->name) >= (int)sizeof pattern) return 0;
	if (glob(pattern, 0, NULL, &list)) return 0;
	for (size_t i = 0; i < list.gl_pathc && !h->found; i++) open_one(h, list.gl_pathv[i]);
	globfree(&list);
	return h->found != NULL;
}

// folder_of_packages is how much of a file's name is the folder of Python's packages in which it lies; 0: none.
static int folder_of_packages(const char *file) {
	static const char packages[] = "-packages/"; // site-, dist-
	const char *at = file ? strstr(file, packages) : NULL;
	return at ? (int)(at - file + sizeof packages - 1) : 0;
}

static int open_near(struct hunt *h, const char *file) {
	int n = folder_of_packages(file);
	return n && open_like(h, file, n, "nvidia/*/lib");
}

// note_folder lists the folders of packages from which something is loaded; nothing may be loaded while it is called.
static int note_folder(struct dl_phdr_info *info, size_t size, void *folders) {
	(void)size;
	char (*list)[PATH_MAX] = folders;
	int n = folder_of_packages(info->dlpi_name);
	if (n == 0 || n >= PATH_MAX) return 0;
	for (int i = 0; i < FOLDERS; i++) {
		if (!list[i][0]) memcpy(list[i], info->dlpi_name, n);
		if (!strncmp(list[i], info->dlpi_name, n)) return 0;
	}
	return 1;
}

static int open_near_loaded(struct hunt *h) {
	char (*folders)[PATH_MAX] = calloc(FOLDERS, sizeof *folders);
	if (!folders) return 0;
	dl_iterate_phdr(note_folder, folders);
	for (int i = 0; i < FOLDERS && folders[i][0] && !h->found; i++) open_near(h, folders[i]);
	free(folders);
	return h->found != NULL;
}

// open_of_interpreter looks in the environment whose bin has the program that runs, as it was called.
static int open_of_interpreter(struct hunt *h) {
	const char *name = program_invocation_name, *slash = strrchr(name, '/');
	if (slash) return open_like(h, name, (int)(slash - name), "/../lib/python3*/site-packages/nvidia/*/lib");
	char program[PATH_MAX];
	for (const char *dir = getenv("PATH"); dir; dir = *dir ? dir + 1 : NULL) {
		int n = (int)strcspn(dir, ":");
		snprintf(program, sizeof program, "%.*s/%s", n, dir, name);
		FILE *f = fopen(program, "r");
		if (f) return fclose(f), open_like(h, dir, n, "/../lib/python3*/site-packages/nvidia/*/lib");
		dir += n;
	}
	return 0;
}

static int open_in_list(struct hunt *h, const char *list) {
	for (const char *dir = list; dir; dir = *dir ? dir + 1 : NULL) {
		int n = (int)strcspn(dir, ":");
		if (n && open_like(h, dir, n, "")) return 1;
		dir += n;
	}
	return 0;
}

static int open_in_toolkit(struct hunt *h) {
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
	for (int i = 0; i < 2; i++) {
		const char *dir = getenv(variables[i]);
		if (dir && (open_like(h, dir, (int)strlen(dir), "/lib64") || open_like(h, dir, (int)strlen(dir), "/lib"))) return 1;
	}
	return open_like(h, "", 0, "/usr/local/cuda*/lib64") || open_in_list(h, "/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:/usr/lib");
}

void *real_library(const char *name, const void *caller) {
	struct hunt h = {.name = name};
	Dl_info self, from;
	if (dladdr((const void *)real_library, &self) && !realpath(self.dli_fname, h.own)) h.own[0] = 0;
	(void)((dladdr(caller, &from) && open_near(&h, from.dli_fname)) || open_near_loaded(&h) ||
		open_of_interpreter(&h) || open_in_list(&h, getenv("LD_LIBRARY_PATH")) || open_in_toolkit(&h));
	return h.found;
}
