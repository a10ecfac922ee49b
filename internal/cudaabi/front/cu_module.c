// Modules, libraries and their kernels, and the linker.
#include "cu.h"
#include "linked.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { INFO_LOG = 3, INFO_SIZE = 4, ERROR_LOG = 5, ERROR_SIZE = 6, MAX_OPTION = 64 };

// struct options is what a program passes: numbers, and values that are numbers or addresses.
struct options { unsigned n; const int *ids; void **values; };

static void **option(struct options o, int id) {
	for (unsigned i = 0; i < o.n; i++)
		if (o.ids[i] == id) return &o.values[i];
	return NULL;
}

// note writes a text into a log buffer of the program, and how long it is where its room was.
static void note(struct options o, int log, int size, const char *text) {
	void **to = option(o, log), **room = option(o, size);
	if (!to || !*to || !room || !*room) return;
	size_t n = strnlen(text, (size_t)(uintptr_t)*room - 1);
	memcpy(*to, text, n);
	((char *)*to)[n] = 0;
	*room = (void *)(n + 1);
}

enum { FATBIN_WRAPPER = 0x466243b1 };

// images lists what an image is made of: of a wrapper of a fat binary what it points to, of a linked image its parts.
static uint64_t *images(const void *image, int32_t *n) {
	const struct linked *l = image;
	int parts = is_linked(image);
	uint64_t *list = malloc((parts ? l->n : 1) * sizeof *list);
	if (!list) return NULL;
	*n = parts ? (int32_t)l->n : 1;
	if (!parts) {
		uint32_t head;
		memcpy(&head, image, sizeof head);
		list[0] = head == FATBIN_WRAPPER ? *(const uint64_t *)((const char *)image + 8) : (uintptr_t)image;
		return list;
	}
	const char *at = (const char *)(l + 1);
	for (uint64_t i = 0; i < l->n; i++) {
		list[i] = (uintptr_t)at + 8;
		at += 8 + *(const uint64_t *)at;
	}
	return list;
}

enum { LOG = 64 << 10 };

static error_t load(module_t *out, const void *image, struct options o) {
	if (!out || !image) return INVALID_VALUE;
	if (o.n && (!o.ids || !o.values)) return INVALID_VALUE;
	if (!*(const char *)image) return INVALID_IMAGE;
	int32_t n;
	uint64_t *list = images(image, &n);
	char *log = malloc(LOG);
	error_t e = OUT_OF_MEMORY;
	if (list && log) {
		*log = 0;
		char text[CLOSED_TEXT];
		const struct pvm_holder from = holder_of(image, text);
		e = pvm_load(list, n, &from, out, log, LOG);
		note(o, ERROR_LOG, ERROR_SIZE, log);
		note(o, INFO_LOG, INFO_SIZE, "");
	}
	free(list);
	free(log);
	return e;
}

// load_here loads a module into the current context.
static error_t load_here(module_t *out, const void *image, struct options o) {
	error_t e = load(out, image, o);
	return e ? e : pvm_own(*out, context_of(NULL)->id);
}

PUBLIC error_t cuModuleLoadDataEx(module_t *out, const void *image, unsigned n, const int *options, void **values) {
	WITH(load_here(out, image, (struct options){n, options, values}));
}

PUBLIC error_t cuModuleLoadData(module_t *out, const void *image) { return cuModuleLoadDataEx(out, image, 0, NULL, NULL); }
PUBLIC error_t cuModuleLoadFatBinary(module_t *out, const void *image) { return cuModuleLoadDataEx(out, image, 0, NULL, NULL); }

// read_file reads a module's file.
static error_t read_file(const char *path, char **text, size_t *size) {
	if (!path) return INVALID_VALUE;
	return (*text = contents(path, size)) ? SUCCESS : FILE_NOT_FOUND;
}

PUBLIC error_t cuModuleLoad(module_t *out, const char *path) {
	char *text;
	size_t n;
	error_t e = current();
	if (e == SUCCESS) e = read_file(path, &text, &n);
	if (e != SUCCESS) return e;
	e = cuModuleLoadData(out, text);
	free(text);
	return e;
}

PUBLIC error_t cuModuleUnload(module_t m) { READY(pvm_unload(m)); } // it has its context

PUBLIC error_t cuModuleGetFunction(function_t *out, module_t m, const char *name) {
	WITH(out && name ? pvm_function(T.device, m, name, out) : INVALID_VALUE);
}

PUBLIC error_t cuModuleGetGlobal_v2(address_t *at, size_t *size, module_t m, const char *name) {
	WITH(name ? pvm_variable(T.device, m, name, at, size) : INVALID_VALUE);
}

PUBLIC error_t cuModuleGetLoadingMode(int *mode) { READY(mode ? (*mode = 2, SUCCESS) : INVALID_VALUE); } // lazy

static error_t count(unsigned *n, module_t m) {
	if (!n) return INVALID_VALUE;
	function_t f;
	error_t e;
	for (*n = 0; (e = pvm_function_at(T.device, m, *n, &f)) == SUCCESS; ++*n) {}
	return e == NOT_FOUND ? SUCCESS : e;
}

static error_t enumerate(function_t *out, unsigned n, module_t m) {
	if (!out) return INVALID_VALUE;
	for (unsigned i = 0; i < n; i++) {
		error_t e = pvm_function_at(T.device, m, i, &out[i]);
		if (e != SUCCESS) return e == NOT_FOUND ? SUCCESS : e;
	}
	return SUCCESS;
}

PUBLIC error_t cuModuleGetFunctionCount(unsigned *n, module_t m) { WITH(count(n, m)); }
PUBLIC error_t cuModuleEnumerateFunctions(function_t *out, unsigned n, module_t m) { WITH(enumerate(out, n, m)); }

// Libraries need no context; their modules and functions are the same on each device.
PUBLIC error_t cuLibraryLoadData(module_t *out, const void *image, const int *options, void **values, unsigned n, const int *lo, void **lv, unsigned ln) {
	(void)lo, (void)lv, (void)ln; // they say whether the image stays where it is: it is copied
	READY(load(out, image, (struct options){n, options, values}));
}

PUBLIC error_t cuLibraryLoadFromFile(module_t *out, const char *path, const int *options, void **values, unsigned n, const int *lo, void **lv, unsigned ln) {
	char *text;
	size_t size;
	error_t e = ready();
	if (e == SUCCESS) e = read_file(path, &text, &size);
	if (e != SUCCESS) return e;
	e = cuLibraryLoadData(out, text, options, values, n, lo, lv, ln);
	free(text);
	return e;
}

PUBLIC error_t cuLibraryUnload(module_t l) { READY(pvm_unload(l)); }

PUBLIC error_t cuLibraryGetKernel(function_t *out, module_t l, const char *name) {
	READY(out && name ? pvm_function(T.device, l, name, out) : INVALID_VALUE);
}

PUBLIC error_t cuLibraryGetModule(module_t *out, module_t l) {
	unsigned n;
	WITH(!out ? INVALID_VALUE : (*out = l, count(&n, l)));
}

PUBLIC error_t cuLibraryGetGlobal(address_t *at, size_t *size, module_t l, const char *name) { return cuModuleGetGlobal_v2(at, size, l, name); }
PUBLIC error_t cuLibraryGetManaged(address_t *at, size_t *size, module_t l, const char *name) {
	WITH(name ? pvm_managed_variable(T.device, l, name, at, size) : INVALID_VALUE);
}
PUBLIC error_t cuLibraryGetKernelCount(unsigned *n, module_t l) { READY(count(n, l)); }
PUBLIC error_t cuLibraryEnumerateKernels(function_t *out, unsigned n, module_t l) { READY(enumerate(out, n, l)); }

// A text that programs keep is kept once.
static const char *keep(const char *text) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct kept { struct kept *next; char text[]; } *all;
	size_t n = strlen(text) + 1;
	pthread_mutex_lock(&lock);
	struct kept *k = all;
	while (k && strcmp(k->text, text)) k = k->next;
	if (!k && (k = malloc(sizeof *k + n))) {
		memcpy(k->text, text, n);
		k->next = all;
		all = k;
	}
	pthread_mutex_unlock(&lock);
	return k ? k->text : NULL;
}

enum { NAME = 16 << 10 };

static error_t name_of(const char **out, function_t f) {
	if (!out) return INVALID_VALUE;
	char *name = malloc(NAME);
	if (!name) return OUT_OF_MEMORY;
	error_t e = pvm_function_name(f, name, NAME);
	if (e == SUCCESS && !(*out = keep(name))) e = OUT_OF_MEMORY;
	free(name);
	return e;
}

PUBLIC error_t cuFuncGetName(const char **out, function_t f) { READY(name_of(out, f)); }
PUBLIC error_t cuKernelGetName(const char **out, function_t k) { READY(name_of(out, k)); }
PUBLIC error_t cuFuncGetModule(module_t *out, function_t f) { READY(out ? pvm_function_module(f, out) : INVALID_VALUE); }
PUBLIC error_t cuKernelGetLibrary(module_t *out, function_t k) { READY(out ? pvm_function_module(k, out) : INVALID_VALUE); }

PUBLIC error_t cuKernelGetFunction(function_t *out, function_t k) {
	module_t m;
	WITH(!out ? INVALID_VALUE : (*out = k, pvm_function_module(k, &m)));
}

PUBLIC error_t cuFuncIsLoaded(int *state, function_t f) {
	module_t m;
	READY(!state ? INVALID_VALUE : (*state = 1, pvm_function_module(f, &m)));
}

PUBLIC error_t cuFuncLoad(function_t f) {
	module_t m;
	WITH(pvm_function_module(f, &m));
}

PUBLIC error_t cuFuncGetParamInfo(function_t f, size_t i, size_t *offset, size_t *size) {
	READY(offset && i < INT32_MAX ? pvm_function_param(f, (int32_t)i, offset, size) : INVALID_VALUE);
}

PUBLIC error_t cuKernelGetParamInfo(function_t k, size_t i, size_t *offset, size_t *size) { return cuFuncGetParamInfo(k, i, offset, size); }

// struct link is a CUlinkState.
struct link { struct options options; struct parts parts; };

PUBLIC error_t cuLinkCreate_v2(unsigned n, const int *ids, void **values, struct link **out) {
	error_t e = current();
	if (e == SUCCESS && (!out || (n && (!ids || !values)))) e = INVALID_VALUE;
	if (e != SUCCESS) return e;
	struct link *l = calloc(1, sizeof *l);
	if (!l || !parts_begin(&l->parts)) return free(l), OUT_OF_MEMORY;
	l->options = (struct options){n, ids, values}; // the program keeps them until the link is destroyed
	*out = l;
	return SUCCESS;
}

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY };

// What cannot be compiled is refused when it comes.
static error_t admit(struct link *l, int type, const void *data, size_t size, struct options o) {
	if (!l || !data || !size || (o.n && (!o.ids || !o.values))) return INVALID_VALUE;
	if (type < INPUT_CUBIN || type > INPUT_LIBRARY) return INVALID_VALUE;
	if (type == INPUT_LIBRARY) return add_device_runtime(&l->parts, data, size) ? SUCCESS : OUT_OF_MEMORY;
	size_t at = l->parts.size;
	uint64_t n = parts_count(&l->parts);
	module_t m;
	if (!parts_add(&l->parts, data, size)) return OUT_OF_MEMORY;
	error_t e = load(&m, is_linked(data) ? data : part_at(&l->parts, at), option(o, ERROR_LOG) ? o : l->options);
	if (e == SUCCESS) return pvm_unload(m);
	parts_cut(&l->parts, at, n);
	return e;
}

PUBLIC error_t cuLinkAddData_v2(struct link *l, int type, const void *data, size_t size, const char *name, unsigned n, const int *ids, void **values) {
	(void)name;
	WITH(admit(l, type, data, size, (struct options){n, ids, values}));
}

PUBLIC error_t cuLinkAddFile_v2(struct link *l, int type, const char *path, unsigned n, const int *ids, void **values) {
	char *text;
	size_t size;
	error_t e = current();
	if (e == SUCCESS) e = read_file(path, &text, &size);
	if (e != SUCCESS) return e;
	e = cuLinkAddData_v2(l, type, text, size, path, n, ids, values);
	free(text);
	return e;
}

// complete tries whether the parts fit: what a part lacks shows when its functions are looked for.
static error_t complete(struct link *l, void **out, size_t *size) {
	module_t m;
	unsigned n;
	if (!l || !out || parts_count(&l->parts) == 0) return INVALID_VALUE;
	error_t e = load(&m, l->parts.image, l->options);
	if (e != SUCCESS) return e;
	e = count(&n, m);
	pvm_unload(m);
	*out = l->parts.image;
	if (size) *size = l->parts.size;
	return e;
}

PUBLIC error_t cuLinkComplete(struct link *l, void **out, size_t *size) { WITH(complete(l, out, size)); }

PUBLIC error_t cuLinkDestroy(struct link *l) {
	if (!l) return INVALID_VALUE;
	free(l->parts.image);
	free(l);
	return ready();
}
