// The first way to launch kernels: shape and parameters belong to the function until they are set again.
#include "cu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 4096 };
struct old { function_t f; struct pvm_launch launch; uint8_t parameters[PARAMETERS]; struct old *next; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the list and what is in it
static struct old *all;

// old_of returns what is set of a function, which must be one; the lock is held.
static error_t old_of(function_t f, struct old **out) {
	module_t m;
	error_t e = pvm_function_module(f, &m);
	if (e != SUCCESS) return e;
	struct old *o = all;
	while (o && o->f != f) o = o->next;
	if (!o && (o = calloc(1, sizeof *o))) {
		o->f = f, o->next = all, all = o;
		for (int i = 0; i < 3; i++) o->launch.block[i] = 1;
	}
	*out = o;
	return o ? SUCCESS : OUT_OF_MEMORY;
}

// SETS does something to o, what is set of a function.
#define SETS(f, what) do { \
	struct old *o; \
	error_t e_ = current(); \
	if (e_ != SUCCESS) return e_; \
	pthread_mutex_lock(&lock); \
	if ((e_ = old_of(f, &o)) == SUCCESS) e_ = (what); \
	pthread_mutex_unlock(&lock); \
	return e_; \
} while (0)

static error_t shape(uint32_t *to, int x, int y, int z) {
	if (x <= 0 || y <= 0 || z <= 0) return INVALID_VALUE;
	to[0] = x, to[1] = y, to[2] = z;
	return SUCCESS;
}

static error_t put(struct old *o, int at, const void *from, unsigned n) {
	if (at < 0 || at > PARAMETERS || n > (unsigned)(PARAMETERS - at) || !from) return INVALID_VALUE;
	memcpy(o->parameters + at, from, n);
	return SUCCESS;
}

PUBLIC error_t cuFuncSetBlockShape(function_t f, int x, int y, int z) { SETS(f, shape(o->launch.block, x, y, z)); }
PUBLIC error_t cuFuncSetSharedSize(function_t f, unsigned bytes) { SETS(f, (o->launch.shared = bytes, SUCCESS)); }
PUBLIC error_t cuParamSetSize(function_t f, unsigned bytes) { SETS(f, bytes > PARAMETERS ? INVALID_VALUE : (o->launch.buffer_size = bytes, SUCCESS)); }
PUBLIC error_t cuParamSeti(function_t f, int at, unsigned v) { SETS(f, put(o, at, &v, sizeof v)); }
PUBLIC error_t cuParamSetf(function_t f, int at, float v) { SETS(f, put(o, at, &v, sizeof v)); }
PUBLIC error_t cuParamSetv(function_t f, int at, void *from, unsigned n) { SETS(f, put(o, at, from, n)); }

static error_t launch(struct old *o, int width, int height, stream_t s) {
	struct pvm_launch l = o->launch;
	error_t e = shape(l.grid, width, height, 1);
	l.buffer = (uintptr_t)o->parameters;
	return e ? e : pvm_launch(T.device, stream_of(s), o->f, &l);
}

PUBLIC error_t cuLaunch(function_t f) { SETS(f, launch(o, 1, 1, 0)); }
PUBLIC error_t cuLaunchGrid(function_t f, int width, int height) { SETS(f, launch(o, width, height, 0)); }
PUBLIC error_t cuLaunchGridAsync(function_t f, int width, int height, stream_t s) { SETS(f, launch(o, width, height, s)); }
