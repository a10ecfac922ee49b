// Functions of the driver by name, for programs that do not link libcuda: those of the library beside this one.
#include "cudart.h"

#include <dlfcn.h>
#include <pthread.h>

typedef error_t get_address(const char *name, void **out, int version, uint64_t flags, int *status);

static get_address *address;

static void open_driver(void) {
	void *lib = open_beside("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (lib) *(void **)&address = dlsym(lib, "cuGetProcAddress_v2");
	if (!address) say("the driver cannot be loaded: %s", dlerror());
}

enum { ENABLE_DEFAULT, ENABLE_LEGACY, ENABLE_THREAD, NO_SYMBOL = 1 };

// entry answers success also where there is no such function: the status says so, as the driver's does.
static error_t entry(const char *name, void **out, unsigned version, unsigned long long flags, int *status) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int why = NO_SYMBOL;
	if (!name || !out || flags > ENABLE_THREAD) return done(INVALID_VALUE);
	*out = NULL;
	pthread_once(&once, open_driver);
	if (!address) return done(INITIALIZATION);
	if (flags == ENABLE_DEFAULT && T.per_thread) flags = ENABLE_THREAD;
	error_t e = address(name, out, (int)version, flags, &why);
	if (status) *status = why;
	return done(e);
}

BOTH(cudaGetDriverEntryPointByVersion, _ptsz, (const char *name, void **out, unsigned version, unsigned long long flags, int *status),
	(name, out, version, flags, status)) {
	return entry(name, out, version, flags, status);
}

BOTH(cudaGetDriverEntryPoint, _ptsz, (const char *name, void **out, unsigned long long flags, int *status), (name, out, flags, status)) {
	return entry(name, out, VERSION, flags, status);
}
