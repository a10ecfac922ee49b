// What the sources of libcuda share. Handles of streams, events, modules, libraries, kernels and functions are the
// engine's numbers; contexts and memory pools are addresses.
#ifndef CU_H
#define CU_H

#include "front.h"

enum {
	NOT_INITIALIZED = 3, INVALID_CONTEXT = 201, UNSUPPORTED_LIMIT = 215, FILE_NOT_FOUND = 301, INVALID_HANDLE = 400, NOT_FOUND = 500,
	PEER_ENABLED = 704, PEER_NOT_ENABLED = 705, PRIMARY_ACTIVE = 708, CONTEXT_DESTROYED = 709,
};

typedef uint64_t address_t, module_t, function_t; // CUdeviceptr; CUmodule and CUlibrary; CUfunction and CUkernel

// struct context is what a CUcontext points to. It says which device a thread means: memory belongs to the device.
struct context {
	int device, primary, alive, retained; // retained: how often, of another one how many are attached
	unsigned flags;
	uint64_t id;
	struct context *next;
};

// runtime_here tells whether the Runtime API is in the process.
int runtime_here(void);

// ready answers calls that need no context: NOT_INITIALIZED before cuInit, which the Runtime API calls where it is used.
error_t ready(void);

// current answers calls that need one, and puts its device into T.
error_t current(void);

// context_of returns what a handle stands for, NULL is the thread's current context; NULL if there is none.
struct context *context_of(void *handle);

// context_on is a context of a device: the current one, if it is of that device, or else the primary one.
struct context *context_on(int device);

// primary_of is the primary context of a device.
struct context *primary_of(int device);

error_t device_ok(int device);

// pool_at_address is the memory pool of an allocation, NULL if it is of none.
void *pool_at_address(uint64_t address);

// driver_code is an answer of the engine, which has the runtime's numbers, as the driver API gives it.
error_t driver_code(error_t e);

// WITH evaluates an expression and returns its code, where a context is current; READY, where cuInit has been called.
#define WITH(expr) do { error_t e_ = current(); return e_ ? e_ : driver_code(expr); } while (0)
#define READY(expr) do { error_t e_ = ready(); return e_ ? e_ : driver_code(expr); } while (0)

#endif
