// Start, version and functions by name.
#define _GNU_SOURCE // dladdr
#include "cu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static int initialized;

PUBLIC error_t cuInit(unsigned flags) {
	if (flags) return INVALID_VALUE;
	error_t e = engine();
	if (e == SUCCESS) __atomic_store_n(&initialized, 1, __ATOMIC_RELEASE);
	return e;
}

int runtime_here(void) {
	static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12"};
	for (int i = 0; i < 2; i++) {
		void *lib = dlopen(runtimes[i], RTLD_NOLOAD | RTLD_LAZY);
		if (lib) return dlclose(lib), 1;
	}
	return 0;
}

// by_runtime tells whether the Runtime API has been used, by any thread. The engine is not started for that without need.
static int by_runtime(void) { return runtime_here() && engine() == SUCCESS && __atomic_load_n(T.both->process, __ATOMIC_ACQUIRE); }

error_t ready(void) {
	if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE)) {
		if (!by_runtime()) return NOT_INITIALIZED;
		__atomic_store_n(&initialized, 1, __ATOMIC_RELEASE);
	}
	return engine();
}

PUBLIC error_t cuDriverGetVersion(int *version) { return version ? (*version = VERSION, SUCCESS) : INVALID_VALUE; }

error_t driver_code(error_t e) {
	switch (e) {
	case INVALID_CONFIGURATION: case INVALID_PITCH: case INVALID_DIRECTION: case 17: return INVALID_VALUE;
	case INVALID_SYMBOL: case INVALID_DEVICE_FUNCTION: return NOT_FOUND;
	}
	return e;
}

// The functions by name (zcuda.c), sorted by name and then by version, those of the thread's own stream last.
struct entry { const char *name; int version, thread; void *function; };
extern const struct entry entries[];
extern const int entry_count;

enum { FOUND, NOT_THERE, TOO_OLD };
enum { FLAG_LEGACY = 1, FLAG_THREAD = 2 };

// find returns the newest function of a name that a version has, and says why there is none.
static void *find(const char *name, int version, int thread, int *status) {
	const struct entry *best = NULL;
	*status = NOT_THERE;
	for (int i = 0; i < entry_count; i++) {
		const struct entry *e = &entries[i];
		if (strcmp(e->name, name)) continue;
		if (*status == NOT_THERE) *status = TOO_OLD;
		if (e->version > version || (e->thread && !thread)) continue;
		if (!best || e->thread > best->thread || (e->thread == best->thread && e->version > best->version)) best = e;
	}
	if (best) *status = FOUND;
	return best ? best->function : NULL;
}

PUBLIC error_t cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status) {
	int why;
	if (!name || !out || version > VERSION || flags > FLAG_THREAD) return INVALID_VALUE;
	*out = find(name, version, flags == FLAG_THREAD, &why);
	if (status) *status = why;
	return SUCCESS; // also without a function: the header's comment
}

PUBLIC error_t cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
	error_t e = cuGetProcAddress_v2(name, out, version, flags, NULL);
	return e == SUCCESS && !*out ? NOT_FOUND : e;
}

// first_of tells whether a file has not asked before; there are not many.
static int first_of(const char *file) {
	enum { FILES = 32 };
	static char *known[FILES];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	int i = 0;
	while (i < FILES && known[i] && strcmp(known[i], file)) i++;
	int first = i < FILES && !known[i] && (known[i] = strdup(file));
	pthread_mutex_unlock(&lock);
	return first;
}

// NVIDIA's runtime, where it is linked in, asks for tables that NVIDIA's driver alone has: no way leads on from there. NVRTC and
// nvJitLink ask, too, and go on without them.
static void explain_tables(void *caller) {
	Dl_info from;
	const char *file = dladdr(caller, &from) && from.dli_fname ? from.dli_fname : "this program";
	if (strstr(file, "libnvrtc.so") || strstr(file, "libnvJitLink.so") || !first_of(file)) return;
	char text[CLOSED_TEXT];
	if (closed_library(file, text, sizeof text))
		say("%s", text);
	else if (strstr(file, "libcudart.so"))
		say("%s is NVIDIA's runtime, which accepts NVIDIA's driver only. What brings it has machine code for its kernels, which does not run "
			"here (PyTorch): docs/howto/python.md says what does", file);
	else if (strstr(file, "-packages/"))
		say("%s has NVIDIA's runtime linked in, which accepts NVIDIA's driver only: docs/howto/python.md says which packages run", file);
	else
		say("%s has NVIDIA's runtime linked in, which accepts NVIDIA's driver only. ptxvm exec puts its own in that place if the file has "
			"symbols (no strip, no nvcc -s); else relink: nvcc … -cudart shared (CMake: CUDA_RUNTIME_LIBRARY Shared)", file);
}

PUBLIC error_t cuGetExportTable(const void **table, const void *id) {
	if (!table || !id) return INVALID_VALUE;
	*table = NULL;
	explain_tables(CALLER);
	return NOT_FOUND;
}

// Profilers have nothing to start.
PUBLIC error_t cuProfilerStart(void) { WITH(SUCCESS); }
PUBLIC error_t cuProfilerStop(void) { WITH(SUCCESS); }

const char *kernel_name(const void *host) { return (void)host, NULL; }
