// The wrappers that the libraries export: each calls the function of its name, and tells of it if calls are traced.
#ifndef TRACE_H
#define TRACE_H

#include "front.h"

extern int tracing; // PTXVM_TRACE asks for it

struct call { void *caller; uint64_t began; };

void begin_call(struct call *c, void *caller);

// end_call prints a call. shown has "name:kind" for each argument, with a space between; kinds are those of trace.c.
void end_call(struct call *c, const char *name, error_t result, const char *shown, ...);

#define TRACED(name, shown, parameters, ...) TRACED_AS(name, name, shown, parameters, ##__VA_ARGS__)

// TRACED_AS exports a function by another name than the sources have for it.
#define TRACED_AS(name, body, shown, parameters, ...) \
	error_t real_##body parameters; \
	PUBLIC error_t name parameters; \
	PUBLIC error_t name parameters { \
		if (!tracing) return real_##body(__VA_ARGS__); \
		struct call call_; \
		begin_call(&call_, __builtin_return_address(0)); \
		error_t error_ = real_##body(__VA_ARGS__); \
		end_call(&call_, #name, error_, shown, ##__VA_ARGS__); \
		return error_; \
	}

#endif
