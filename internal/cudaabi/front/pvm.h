// The interface between the libraries that programs load (front) and the engine, libptxvm.so (cmd/libptxvm): ours
// alone, with a version of its own. Every function returns an error code of CUDA, 0 for success. Addresses of
// device memory are host addresses. Handles are numbers.
#ifndef PVM_H
#define PVM_H

#include <stddef.h>
#include <stdint.h>

#define PVM_VERSION 2

// What the process gives the engine. text is not terminated.
struct pvm_host {
	uint32_t version;
	void (*print)(const char *text, size_t n); // what kernels print
	void (*error)(const char *text, size_t n); // reports and warnings
};

// A box of bytes and where it lies: dst and src with the distance of rows and of slices.
struct pvm_copy {
	uint64_t dst, dst_pitch, dst_slice;
	uint64_t src, src_pitch, src_slice;
	uint64_t width, height, depth;
};

struct pvm_launch {
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared, cooperative, reserved;
	uint64_t arguments;           // of an array of addresses, one a parameter
	uint64_t buffer, buffer_size; // or of the parameter block
};

// X(name, parameters)
#define PVM_FUNCTIONS(X) \
	X(pvm_start, (const struct pvm_host *host)) \
	X(pvm_finish, (void)) \
	X(pvm_device_count, (int32_t *n)) \
	X(pvm_device_attribute, (int32_t device, int32_t attribute, int32_t *value)) \
	X(pvm_device_name, (int32_t device, char *name, int32_t room)) \
	X(pvm_memory_info, (int32_t device, uint64_t *free, uint64_t *total)) \
	X(pvm_synchronize, (int32_t device)) \
	X(pvm_sticky, (void)) \
	X(pvm_alloc, (int32_t device, uint64_t size, int32_t kind, uint64_t *address)) \
	X(pvm_free, (uint64_t address, int32_t pinned)) \
	X(pvm_free_in, (int32_t device, uint64_t stream, uint64_t address)) \
	X(pvm_holding, (uint64_t address, uint64_t *start, uint64_t *size, int32_t *device, int32_t *kind)) \
	X(pvm_copy, (int32_t device, uint64_t stream, const struct pvm_copy *copy, int32_t kind, int32_t block)) \
	X(pvm_fill, (int32_t device, uint64_t stream, const struct pvm_copy *to, uint32_t value, uint32_t size, int32_t block)) \
	X(pvm_load, (const uint64_t *images, int32_t n, uint64_t *module, char *log, uint64_t log_room)) \
	X(pvm_unload, (uint64_t module)) \
	X(pvm_function, (int32_t device, uint64_t module, const char *name, uint64_t *function)) \
	X(pvm_variable, (int32_t device, uint64_t module, const char *name, uint64_t *address, uint64_t *size)) \
	X(pvm_function_at, (int32_t device, uint64_t module, uint32_t i, uint64_t *function)) \
	X(pvm_function_module, (uint64_t function, uint64_t *module)) \
	X(pvm_function_get, (int32_t device, uint64_t function, int32_t attribute, int32_t *value)) \
	X(pvm_function_set, (int32_t device, uint64_t function, int32_t attribute, int32_t value)) \
	X(pvm_function_param, (uint64_t function, int32_t i, uint64_t *offset, uint64_t *size)) \
	X(pvm_function_name, (uint64_t function, char *name, int32_t room)) \
	X(pvm_occupancy, (int32_t device, uint64_t function, int32_t threads, uint64_t dynamic, int32_t *blocks)) \
	X(pvm_launch, (int32_t device, uint64_t stream, uint64_t function, const struct pvm_launch *launch)) \
	X(pvm_stream_create, (int32_t device, uint32_t flags, int32_t priority, uint64_t *stream)) \
	X(pvm_stream_destroy, (uint64_t stream)) \
	X(pvm_stream_info, (uint64_t stream, int32_t *device, uint32_t *flags, int32_t *priority)) \
	X(pvm_stream_query, (int32_t device, uint64_t stream)) \
	X(pvm_stream_synchronize, (int32_t device, uint64_t stream)) \
	X(pvm_stream_wait, (int32_t device, uint64_t stream, uint64_t event)) \
	X(pvm_host_function, (int32_t device, uint64_t stream, uint64_t function, uint64_t argument)) \
	X(pvm_event_create, (int32_t device, uint32_t flags, uint64_t *event)) \
	X(pvm_event_destroy, (uint64_t event)) \
	X(pvm_event_record, (int32_t device, uint64_t event, uint64_t stream)) \
	X(pvm_event_query, (uint64_t event)) \
	X(pvm_event_synchronize, (uint64_t event)) \
	X(pvm_event_elapsed, (uint64_t from, uint64_t to, float *ms))

#endif
