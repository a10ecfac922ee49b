// libnvJitLink.so.13 of ours: what is linked is PTX, as an image that the driver loads. Intermediate code for link-time
// optimisation is turned into PTX by NVIDIA's library of the same name, where it is installed.
#define _GNU_SOURCE // dladdr
#include "forward.h"
#include "linked.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum {
	SUCCESS = 0, UNRECOGNIZED_OPTION = 1, MISSING_ARCH = 2, INVALID_INPUT = 3, PTX_COMPILE = 4, INTERNAL = 6, FINALIZE = 9, NULL_INPUT = 10,
	INCORRECT_INPUT_TYPE = 12,
};
enum { INPUT_CUBIN = 1, INPUT_PTX, INPUT_LTOIR, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY, INPUT_INDEX, INPUT_ANY = 10 };
enum { LOG = 64 << 10 };

// struct job is what a handle stands for.
struct job {
	struct parts parts;
	int optimise, complete;   // -lto; the link is over
	char **options;           // of the program
	unsigned n;
	void *inner;              // the real library's handle, once there is intermediate code
	char *ptx;                // what it has made of that
	size_t ptx_size;
	char log[LOG];
};

// X(name, parameters): functions of the real library, and of the driver.
#define REAL(X) \
	X(nvJitLinkCreate, (void **handle, uint32_t n, const char **options)) \
	X(nvJitLinkAddData, (void *handle, int type, const void *data, size_t size, const char *name)) \
	X(nvJitLinkComplete, (void *handle)) \
	X(nvJitLinkGetLinkedPtxSize, (void *handle, size_t *size)) \
	X(nvJitLinkGetLinkedPtx, (void *handle, char *text)) \
	X(nvJitLinkGetErrorLogSize, (void *handle, size_t *size)) \
	X(nvJitLinkGetErrorLog, (void *handle, char *log)) \
	X(nvJitLinkDestroy, (void **handle))
#define DRIVER_CALLS(X) \
	X(cuInit, (unsigned flags)) \
	X(cuLibraryLoadData, (uint64_t *library, const void *image, const int *ids, void **values, unsigned n, const int *li, void **lv, unsigned ln)) \
	X(cuLibraryGetKernelCount, (unsigned *n, uint64_t library)) \
	X(cuLibraryUnload, (uint64_t library))

#define X(name, parameters) static int(*real_##name) parameters;
REAL(X)
DRIVER_CALLS(X)
#undef X

static int fail(struct job *j, int code, const char *format, ...) {
	va_list args;
	va_start(args, format);
	vsnprintf(j->log, sizeof j->log, format, args);
	va_end(args);
	return code;
}

// find_real loads NVIDIA's library, the first time.
static int find_real(const void *caller) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int state; // 1: it is there, -1: it is not
	pthread_mutex_lock(&lock);
	if (state == 0) {
		void *lib = real_library("libnvJitLink.so.13", caller);
		state = lib ? 1 : -1;
#define X(name, parameters) if (lib && !(*(void **)&real_##name = dlsym(lib, #name))) state = -1;
		REAL(X)
#undef X
	}
	pthread_mutex_unlock(&lock);
	return state == 1;
}

static pthread_once_t driver_once = PTHREAD_ONCE_INIT;
static int driver_found;

static void find_driver(void) {
	char path[PATH_MAX] = "libcuda.so.1";
	Dl_info self;
	const char *slash;
	if (dladdr((void *)find_driver, &self) && (slash = strrchr(self.dli_fname, '/')))
		snprintf(path, sizeof path, "%.*s/libcuda.so.1", (int)(slash - self.dli_fname), self.dli_fname);
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	driver_found = lib != NULL;
#define X(name, parameters) if (lib && !(*(void **)&real_##name = dlsym(lib, #name))) driver_found = 0;
	DRIVER_CALLS(X)
#undef X
	driver_found = driver_found && real_cuInit(0) == 0;
}

// try_image says whether the driver takes an image: a part, or with whole all of them together.
static int try_image(struct job *j, const void *image, int whole) {
	enum { ERROR_LOG = 5, ERROR_SIZE = 6 };
	pthread_once(&driver_once, find_driver);
	if (!driver_found) return fail(j, INTERNAL, "ptxvm's libcuda.so.1, beside this library, cannot be started");
	uint64_t library;
	unsigned n;
	j->log[0] = 0;
	int code = real_cuLibraryLoadData(&library, image, (const int[]){ERROR_LOG, ERROR_SIZE}, (void *[]){j->log, (void *)(uintptr_t)LOG}, 2, NULL, NULL, 0);
	if (code) return whole ? FINALIZE : PTX_COMPILE;
	if (whole) code = real_cuLibraryGetKernelCount(&n, library);
	real_cuLibraryUnload(library);
	if (!code) return SUCCESS;
	return fail(j, FINALIZE, "the inputs do not fit together: ptxvm has said why on standard error (CUDA error %d)", code);
}

static int create(void **out, uint32_t n, const char *const *options) {
	int arch = 0;
	if (!out || (n && !options)) return INVALID_INPUT;
	for (uint32_t i = 0; i < n; i++) {
		if (!options[i] || options[i][0] != '-') return UNRECOGNIZED_OPTION;
		arch |= !strncmp(options[i], "-arch=", 6);
	}
	if (!arch) return MISSING_ARCH;
	struct job *j = calloc(1, sizeof *j);
	if (!j || !parts_begin(&j->parts) || !(j->options = calloc(n + 2, sizeof *j->options))) return free(j), INTERNAL;
	for (uint32_t i = 0; i < n; i++) {
		j->optimise |= !strcmp(options[i], "-lto");
		if (strcmp(options[i], "-ptx")) j->options[j->n++] = strdup(options[i]);
	}
	*out = j;
	return SUCCESS;
}

static int destroy(void **handle) {
	struct job *j = handle ? *handle : NULL;
	if (!j) return INVALID_INPUT;
	if (j->inner) real_nvJitLinkDestroy(&j->inner);
	for (unsigned i = 0; i < j->n; i++) free(j->options[i]);
	free(j->options);
	free(j->parts.image);
	free(j->ptx);
	free(j);
	*handle = NULL;
	return SUCCESS;
}

// inner_failed takes over what the real library says.
static int inner_failed(struct job *j, int code) {
	size_t size = 0;
	if (j->inner && !real_nvJitLinkGetErrorLogSize(j->inner, &size) && size <= LOG) real_nvJitLinkGetErrorLog(j->inner, j->log);
	return code;
}

// optimise gives intermediate code to the real library.
static int optimise(struct job *j, int type, const void *data, size_t size, const char *name, const void *caller) {
	if (!find_real(caller)) return fail(j, INCORRECT_INPUT_TYPE, "an input is intermediate code for link-time optimisation, which NVIDIA's libnvJitLink.so.13 makes PTX of: pip install nvidia-nvjitlink");
	if (!j->inner) {
		j->options[j->n] = "-ptx";
		int code = real_nvJitLinkCreate(&j->inner, j->n + 1, (const char **)j->options);
		j->options[j->n] = NULL;
		if (code) return code;
	}
	int code = real_nvJitLinkAddData(j->inner, type, data, size, name);
	return code ? inner_failed(j, code) : SUCCESS;
}

static int is_intermediate(const void *data, size_t size) {
	enum { LTO_MAGIC = 0x7f4e43ed }; // as the first word of intermediate code
	uint32_t head;
	return size >= sizeof head && (memcpy(&head, data, sizeof head), head == LTO_MAGIC);
}

static int add(struct job *j, int type, const void *data, size_t size, const char *name, const void *caller) {
	if (!j) return NULL_INPUT;
	if (!data || !size || j->complete) return INVALID_INPUT;
	if (type == INPUT_LTOIR || (type == INPUT_ANY && is_intermediate(data, size))) return optimise(j, INPUT_LTOIR, data, size, name, caller);
	if (type == INPUT_LIBRARY || type == INPUT_INDEX) return add_device_runtime(&j->parts, data, size) ? SUCCESS : INTERNAL;
	size_t at = j->parts.size;
	uint64_t n = parts_count(&j->parts);
	if (!parts_add(&j->parts, data, size)) return INTERNAL;
	int code = try_image(j, is_linked(data) ? data : part_at(&j->parts, at), 0);
	if (code) parts_cut(&j->parts, at, n);
	return code;
}

static int add_file(struct job *j, int type, const char *path, const void *caller) {
	size_t size;
	char *data = j && path ? contents(path, &size) : NULL;
	if (!j) return NULL_INPUT;
	if (!data) return fail(j, INVALID_INPUT, "%s cannot be read", path ? path : "a file without a name");
	int code = add(j, type, data, size, path, caller);
	free(data);
	return code;
}

// take_optimised adds the PTX that the real library has made.
static int take_optimised(struct job *j) {
	int code = real_nvJitLinkComplete(j->inner);
	if (!code) code = real_nvJitLinkGetLinkedPtxSize(j->inner, &j->ptx_size);
	if (!code && !(j->ptx = calloc(1, j->ptx_size + 1))) return INTERNAL;
	if (!code) code = real_nvJitLinkGetLinkedPtx(j->inner, j->ptx);
	if (code) return inner_failed(j, code);
	return parts_add(&j->parts, j->ptx, j->ptx_size) ? SUCCESS : INTERNAL;
}

static int complete(struct job *j) {
	if (!j) return NULL_INPUT;
	if (j->complete) return INVALID_INPUT;
	int code = j->inner ? take_optimised(j) : SUCCESS;
	if (code) return code;
	if (!parts_count(&j->parts)) return fail(j, INVALID_INPUT, "there is no input");
	code = try_image(j, j->parts.image, 1);
	j->complete = code == SUCCESS;
	return code;
}

// give answers for a result of a size: where, or if there is no room how much.
static int give(const struct job *j, const void *data, size_t n, size_t *size, void *out) {
	if (!j) return NULL_INPUT;
	if (!data || (!size && !out)) return INVALID_INPUT;
	if (size) *size = n;
	if (out) memcpy(out, data, n);
	return SUCCESS;
}

static int cubin(const struct job *j, size_t *size, void *out) { return give(j, j && j->complete ? j->parts.image : NULL, j ? j->parts.size : 0, size, out); }
static int ptx(const struct job *j, size_t *size, void *out) { return give(j, j && j->complete ? j->ptx : NULL, j ? j->ptx_size : 0, size, out); }
static int error_log(const struct job *j, size_t *size, void *out) { return give(j, j ? j->log : NULL, j ? strlen(j->log) + 1 : 0, size, out); }
static int info_log(const struct job *j, size_t *size, void *out) { return give(j, "", 1, size, out); }

// NAMES defines a function by its name, and by that of each release of CUDA 13, which headers call.
#define NAMED(name, parameters, body) PUBLIC int name parameters; PUBLIC int name parameters body
#define NAMES(name, parameters, body) NAMED(name, parameters, body) \
	NAMED(__##name##_13_0, parameters, body) NAMED(__##name##_13_1, parameters, body) NAMED(__##name##_13_2, parameters, body) \
	NAMED(__##name##_13_3, parameters, body) NAMED(__##name##_13_4, parameters, body) NAMED(__##name##_13_5, parameters, body)
#define CALLER __builtin_return_address(0)

NAMES(nvJitLinkCreate, (void **handle, uint32_t n, const char *const *options), { return create(handle, n, options); })
NAMES(nvJitLinkDestroy, (void **handle), { return destroy(handle); })
NAMES(nvJitLinkAddData, (void *j, int type, const void *data, size_t size, const char *name), { return add(j, type, data, size, name, CALLER); })
NAMES(nvJitLinkAddFile, (void *j, int type, const char *path), { return add_file(j, type, path, CALLER); })
NAMES(nvJitLinkComplete, (void *j), { return complete(j); })
NAMES(nvJitLinkGetLinkedCubinSize, (void *j, size_t *size), { return cubin(j, size, NULL); })
NAMES(nvJitLinkGetLinkedCubin, (void *j, void *out), { return cubin(j, NULL, out); })
NAMES(nvJitLinkGetLinkedPtxSize, (void *j, size_t *size), { return ptx(j, size, NULL); })
NAMES(nvJitLinkGetLinkedPtx, (void *j, char *out), { return ptx(j, NULL, out); })
NAMES(nvJitLinkGetLinkedLTOIRSize, (void *j, size_t *size), { return give(j, NULL, 0, size, NULL); })
NAMES(nvJitLinkGetLinkedLTOIR, (void *j, void *out), { return give(j, NULL, 0, NULL, out); })
NAMES(nvJitLinkGetErrorLogSize, (void *j, size_t *size), { return error_log(j, size, NULL); })
NAMES(nvJitLinkGetErrorLog, (void *j, char *out), { return error_log(j, NULL, out); })
NAMES(nvJitLinkGetInfoLogSize, (void *j, size_t *size), { return info_log(j, size, NULL); })
NAMES(nvJitLinkGetInfoLog, (void *j, char *out), { return info_log(j, NULL, out); })

// Clients that find this library give it intermediate code, for which NVIDIA's is needed: without that, this one is not there either.
NAMED(nvJitLinkVersion, (unsigned *major, unsigned *minor), {
	if (!major || !minor) return INVALID_INPUT;
	if (!find_real(CALLER)) return INTERNAL;
	*major = 13;
	*minor = 5;
	return SUCCESS;
})
