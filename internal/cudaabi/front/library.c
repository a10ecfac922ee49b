// Libraries of the Runtime API: modules that the program loads itself, whose kernels are launched as those that nvcc registers.
#include "cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t library_t;

enum { FATBIN_WRAPPER = 0x466243b1, FILE_NOT_FOUND = 301, LOG = 64 << 10 };
enum { INFO_LOG = 3, INFO_SIZE, ERROR_LOG, ERROR_SIZE }; // cudaJitOption

static void *option(const int *ids, void *const *values, unsigned n, int id) {
	for (unsigned i = 0; i < n; i++)
		if (ids[i] == id) return values[i];
	return NULL;
}

// tell writes a log into the program's buffer; the size is how much room there is.
static void tell(const int *ids, void *const *values, unsigned n, int log, int size, const char *text) {
	char *to = option(ids, values, n, log);
	size_t room = (uintptr_t)option(ids, values, n, size);
	if (to && room) snprintf(to, room, "%s", text);
}

static error_t load(library_t *out, const void *image, const int *ids, void *const *values, unsigned n) {
	uint32_t head;
	if (!out || !image || (n && (!ids || !values))) return INVALID_VALUE;
	if (!*(const char *)image) return INVALID_IMAGE;
	char *log = calloc(1, LOG);
	if (!log) return OUT_OF_MEMORY;
	memcpy(&head, image, sizeof head);
	uint64_t at = head == FATBIN_WRAPPER ? *(const uint64_t *)((const char *)image + 8) : (uintptr_t)image;
	char text[CLOSED_TEXT];
	const struct pvm_holder from = holder_of(image, text);
	error_t e = pvm_load(&at, 1, &from, out, log, LOG);
	tell(ids, values, n, ERROR_LOG, ERROR_SIZE, log);
	tell(ids, values, n, INFO_LOG, INFO_SIZE, "");
	free(log);
	return e;
}

// What says whether the image stays where it is has no effect: it is copied.
PUBLIC error_t cudaLibraryLoadData(library_t *out, const void *image, const int *ids, void **values, unsigned n, const int *lo, void **lv, unsigned ln) {
	(void)lo, (void)lv, (void)ln;
	CALL(load(out, image, ids, values, n));
}

PUBLIC error_t cudaLibraryLoadFromFile(library_t *out, const char *path, const int *ids, void **values, unsigned n, const int *lo, void **lv, unsigned ln) {
	(void)lo, (void)lv, (void)ln;
	error_t e = engine();
	FILE *f = e == SUCCESS && path ? fopen(path, "rb") : NULL;
	if (!f) return done(e ? e : path ? FILE_NOT_FOUND : INVALID_VALUE);
	char *text = NULL;
	long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	if (size >= 0 && (text = calloc(1, size + 64))) { // room for a header to be looked at
		rewind(f);
		size = (long)fread(text, 1, size, f);
	}
	fclose(f);
	e = text ? load(out, text, ids, values, n) : FILE_NOT_FOUND;
	free(text);
	return done(e);
}

PUBLIC error_t cudaLibraryUnload(library_t l) { CALL(pvm_unload(l)); }

static error_t kernel(struct kernel **out, library_t l, const char *name) {
	uint64_t f;
	error_t e = out && name ? pvm_function(T.device, l, name, &f) : INVALID_VALUE;
	return e ? e : kernel_for(f, out);
}

PUBLIC error_t cudaLibraryGetKernel(struct kernel **out, library_t l, const char *name) { CALL(kernel(out, l, name)); }

PUBLIC error_t cudaLibraryGetGlobal(void **at, size_t *size, library_t l, const char *name) {
	CALL(name && (at || size) ? pvm_variable(T.device, l, name, (uint64_t *)at, size) : INVALID_VALUE);
}
PUBLIC error_t cudaLibraryGetManaged(void **at, size_t *size, library_t l, const char *name) {
	CALL(name && (at || size) ? pvm_managed_variable(T.device, l, name, (uint64_t *)at, size) : INVALID_VALUE);
}

// list stores the first n kernels, and counts them all if nothing is to be stored.
static error_t list(struct kernel **out, unsigned n, library_t l, unsigned *count) {
	uint64_t f;
	error_t e = SUCCESS;
	unsigned i = 0;
	for (; i < n && (e = pvm_function_at(T.device, l, i, &f)) == SUCCESS; i++)
		if (out && (e = kernel_for(f, &out[i])) != SUCCESS) return e;
	if (count && (e == SUCCESS || e == SYMBOL_NOT_FOUND)) *count = i;
	return e == SYMBOL_NOT_FOUND ? SUCCESS : e;
}

PUBLIC error_t cudaLibraryGetKernelCount(unsigned *n, library_t l) { CALL(n ? list(NULL, UINT32_MAX, l, n) : INVALID_VALUE); }
PUBLIC error_t cudaLibraryEnumerateKernels(struct kernel **out, unsigned n, library_t l) { CALL(out ? list(out, n, l, NULL) : INVALID_VALUE); }
