// Calls as they happen: PTXVM_TRACE=calls prints each on standard error, =calls:FILE into a file, with its arguments, its
// result and the time it took; =errors those that fail; =kernels is the engine's. Its own calls of the API are not told.
#define _GNU_SOURCE
#include "api.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int tracing;
enum { ERRORS = 1, ALL_CALLS }; // tracing
static int to = STDERR_FILENO;
static int threads;
static __thread int number; // of the thread, from 1, in the order of their first calls

__attribute__((constructor)) static void begin(void) {
	const char *how = getenv("PTXVM_TRACE");
	if (!how || !*how || !strcmp(how, "0")) return;
	size_t n = strcspn(how, ":");
	if (n == 7 && !strncmp(how, "kernels", n)) return; // the engine tells
	int all = n == 5 && !strncmp(how, "calls", n);
	if (!all && (n != 6 || strncmp(how, "errors", n))) {
		say("PTXVM_TRACE=%s: want calls, errors or kernels, with :FILE or without", how);
		return;
	}
	if (how[n]) to = open(how + n + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (to < 0) {
		say("PTXVM_TRACE: %s: %s", how + n + 1, strerror(errno));
		return;
	}
	tracing = all ? ALL_CALLS : ERRORS;
}

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void begin_call(struct call *c, void *caller) {
	if (!T.caller) T.caller = caller;
	c->caller = caller;
	c->began = now();
}

struct text { char bytes[1024]; size_t n; };

static void put(struct text *t, const char *format, ...) {
	va_list args;
	va_start(args, format);
	int n = vsnprintf(t->bytes + t->n, sizeof t->bytes - t->n, format, args);
	va_end(args);
	t->n += n < 0 ? 0 : (size_t)n;
	if (t->n > sizeof t->bytes - 2) t->n = sizeof t->bytes - 2; // room for the end of the line
}

// peek reads memory that need not be there.
static int peek(const void *from, void *into, size_t n) {
	struct iovec here = {into, n}, there = {(void *)from, n};
	return from && process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

// quoted prints a text of the program, cut after some bytes.
static void quoted(struct text *t, const char *s) {
	enum { SHOWN = 64 };
	char c;
	if (!s) {
		put(t, "NULL");
		return;
	}
	put(t, "\"");
	for (int i = 0; i < SHOWN && peek(s + i, &c, 1) && c; i++) put(t, c >= ' ' && c < 127 && c != '"' && c != '\\' ? "%c" : "\\x%02x", (unsigned char)c);
	put(t, "\"");
}

// result prints what a call has stored at a pointer.
static void result(struct text *t, const void *p, size_t size, int real, int good) {
	uint64_t v = 0;
	put(t, p ? "%p" : "NULL", p);
	if (!good || !peek(p, &v, size)) return;
	float f;
	memcpy(&f, &v, sizeof f);
	if (real) put(t, " → %g", f);
	else put(t, size == 4 || v < 4096 ? " → %ld" : " → 0x%lx", size == 4 ? (long)(int32_t)v : (long)v);
}

static void kernel(struct text *t, uint64_t function, const void *host) {
	char name[256];
	const char *known = host ? kernel_name(host) : NULL;
	if (!known && !host && engine_loaded() && pvm_function_name(function, name, sizeof name) == SUCCESS) known = name;
	if (known) put(t, "%s", known);
	else put(t, "0x%lx", host ? (long)(uintptr_t)host : (long)function);
}

static void argument(struct text *t, char kind, va_list *args, int good) {
	switch (kind) {
	case 'd': put(t, "%d", va_arg(*args, int)); return;
	case 'n': put(t, "%lu", (unsigned long)va_arg(*args, uint64_t)); return;
	case 'x': put(t, "0x%lx", (unsigned long)va_arg(*args, uint64_t)); return;
	case 'f': put(t, "%g", va_arg(*args, double)); return;
	case 's': quoted(t, va_arg(*args, const char *)); return;
	case 'Q': result(t, va_arg(*args, const void *), 8, 0, good); return;
	case 'D': result(t, va_arg(*args, const void *), 4, 0, good); return;
	case 'F': result(t, va_arg(*args, const void *), 4, 1, good); return;
	case 'k': kernel(t, va_arg(*args, uint64_t), NULL); return;
	case 'K': kernel(t, 0, va_arg(*args, const void *)); return;
	case 'v': { struct dim d = va_arg(*args, struct dim); put(t, "(%u,%u,%u)", d.x, d.y, d.z); return; }
	case 'e': { struct extent x = va_arg(*args, struct extent); put(t, "(%zu,%zu,%zu)", x.width, x.height, x.depth); return; }
	case 'P': { struct pitched p = va_arg(*args, struct pitched); put(t, "{%p,%zu,%zu,%zu}", p.ptr, p.pitch, p.x, p.y); return; }
	default: put(t, "%p", va_arg(*args, const void *));
	}
}

void end_call(struct call *c, const char *name, error_t result, const char *shown, ...) {
	uint64_t took = now() - c->began;
	int saved = errno;
	struct text t = {.n = 0};
	va_list args;
	if (T.caller == c->caller) T.caller = NULL;
	if (tracing == ERRORS && (result == SUCCESS || result == NOT_READY)) return;
	if (!number) number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	if (number > 1) put(&t, "[%d] ", number);
	put(&t, "%s(", name);
	va_start(args, shown);
	for (const char *s = shown; *s;) {
		int n = (int)strcspn(s, ":");
		put(&t, "%.*s=", n, s);
		argument(&t, s[n + 1], &args, result == SUCCESS);
		s += n + 2;
		if (*s == ' ') s++, put(&t, ", ");
	}
	va_end(args);
	put(&t, ") = %d", result);
	if (result != SUCCESS) put(&t, " %s", error_name(result));
	put(&t, ", %.1f us", (double)took / 1000);
	t.bytes[t.n++] = '\n';
	if (write(to, t.bytes, t.n) < 0) {} // nobody to tell
	errno = saved;
}
