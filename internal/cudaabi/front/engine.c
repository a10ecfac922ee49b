// Finds and starts the engine, at the first call that needs it: a program that never uses the device, or forks before
// it does, has no second runtime in it.
#define _GNU_SOURCE
#include "front.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define X(name, parameters) error_t(*name) parameters;
PVM_FUNCTIONS(X)
#undef X

__thread struct thread T;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static error_t started;
static volatile int running, forked; // the engine runs; this is a child of the process in which it does

void say(const char *format, ...) {
	va_list args;
	va_start(args, format);
	fputs("ptxvm: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void print(const char *text, size_t n) {
	fwrite(text, 1, n, stdout);
}

static void report(const char *text, size_t n) {
	fflush(stdout); // what was printed before the error comes before it
	fwrite(text, 1, n, stderr);
}

void *open_beside(const char *library, int how) {
	char path[PATH_MAX];
	Dl_info self;
	const char *name = getenv("PTXVM_LIB");
	if (name && *name) {
		snprintf(path, sizeof path, "%s/%s", name, library);
	} else {
		if (!dladdr((void *)open_beside, &self) || !self.dli_fname) return NULL;
		const char *slash = strrchr(self.dli_fname, '/');
		int n = slash ? (int)(slash - self.dli_fname) : 1;
		snprintf(path, sizeof path, "%.*s/%s", n, slash ? self.dli_fname : ".", library);
	}
	return dlopen(path, how);
}

static void child(void) { forked = 1; }

// load loads the engine and begins it.
static void load(void) {
	void *lib = open_beside("libptxvm.so", RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		say("the engine cannot be loaded: %s", dlerror());
		return;
	}
#define X(name, parameters) \
	*(void **)&name = dlsym(lib, #name); \
	if (!name) { say("the engine has no %s: it is of another version", #name); return; }
	PVM_FUNCTIONS(X)
#undef X
	const struct pvm_host host = {PVM_VERSION, isatty(STDERR_FILENO) ? PVM_TERMINAL : 0, answer_usr1(), print, report, origin_of};
	running = 1;
	pthread_atfork(NULL, NULL, child);
	int n = 0;
	started = pvm_start(&host);
	if (started == SUCCESS) started = pvm_device_count(&n);
}

static void start(void) {
	started = INITIALIZATION;
	watch_host_access();
	int first = !open_beside("libptxvm.so", RTLD_NOW | RTLD_NOLOAD); // else the other library has loaded it
	keep_signals(first);
	load();
	give_back_signals(first);
}

// share learns what the thread has done by the other library.
static error_t share(void) {
	error_t e = T.both ? SUCCESS : entering(&T.both);
	if (e != SUCCESS) return e;
	T.device = T.both->device;
#ifndef DRIVER
	if (!T.both->runtime) {
		T.both->runtime = 1;
		__atomic_store_n(T.both->process, 1, __ATOMIC_RELEASE);
	}
#endif
	return SUCCESS;
}

void choose(int device) { T.device = T.both->device = device; }

// started says it for this process; a child has the memory of the engine but not its threads.
error_t engine(void) {
	if (forked) return INITIALIZATION;
	pthread_once(&once, start);
	return started ? started : share();
}

int engine_loaded(void) { return running && !forked && started == SUCCESS; }

stream_t stream_of(stream_t s) {
	if (s != STREAM_PER_THREAD && !(s == 0 && T.per_thread)) return s;
	stream_t *own = &T.both->own[T.device];
	if (*own == 0 && pvm_stream_create(T.device, STREAM_OF_THREAD, 0, own) != SUCCESS) return s;
	return *own;
}

error_t stream_ok(stream_t s) {
	int32_t device, priority;
	uint32_t flags;
	return s > STREAM_LEGACY ? pvm_stream_info(s, &device, &flags, &priority) : SUCCESS;
}

error_t unsupported(const char *name, int *said) {
	if (!*said) {
		*said = 1;
		say("%s is not supported (801)", name);
	}
	return done(NOT_SUPPORTED);
}

enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_PROGRAMMATIC = 6, LAUNCH_PROGRAMMATIC_EVENT = 7, LAUNCH_COMPLETION_EVENT = 12, LAUNCH_SHARED_MODE = 18 };

void with_attributes(const struct config *c, struct pvm_launch *l) {
	for (unsigned i = 0; i < c->n; i++) {
		const struct attribute *a = &c->attributes[i];
		if (a->id == LAUNCH_COOPERATIVE) l->cooperative = a->value.number != 0;
		if (a->id == LAUNCH_PROGRAMMATIC) l->programmatic = a->value.number != 0;
		if (a->id == LAUNCH_PROGRAMMATIC_EVENT) l->events[a->value.trigger.at_block_start != 0] = a->value.trigger.event;
		if (a->id == LAUNCH_COMPLETION_EVENT) l->events[1] = a->value.event;
		if (a->id == LAUNCH_SHARED_MODE) l->shared_mode = (uint32_t)a->value.number;
		if (a->id == LAUNCH_CLUSTER) memcpy(l->cluster, a->value.dim, sizeof l->cluster);
	}
}

enum { EXTRA_END, EXTRA_BUFFER, EXTRA_SIZE };

error_t extra_arguments(void *const *list, struct pvm_launch *l) {
	for (; (uintptr_t)list[0] != EXTRA_END; list += 2) {
		switch ((uintptr_t)list[0]) {
		case EXTRA_BUFFER: l->buffer = (uintptr_t)list[1]; break;
		case EXTRA_SIZE: l->buffer_size = list[1] ? *(const size_t *)list[1] : 0; break;
		default: return INVALID_VALUE;
		}
	}
	return SUCCESS;
}
