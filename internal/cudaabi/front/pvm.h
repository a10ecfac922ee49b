// The interface between the libraries that programs load (front) and the engine, libptxvm.so (cmd/libptxvm): ours
// alone, with a version of its own. Every function returns an error code of CUDA, 0 for success. Addresses of
// device memory are host addresses. Handles are numbers.
#ifndef PVM_H
#define PVM_H

#include <stddef.h>
#include <stdint.h>

#define PVM_VERSION 14

// Where device memory is from: the function of CUDA and the calls that led to it, innermost first, each as a file and
// the return address's offset in it. A file without a name ends them.
enum { PVM_FRAMES = 4 };
struct pvm_origin {
	char by[64];
	struct { char file[512]; uint64_t offset; } frames[PVM_FRAMES];
};

// What the process gives the engine. text is not terminated.
struct pvm_host {
	uint32_t version;
	uint32_t facts; // PVM_TERMINAL
	int32_t asks;   // the end of a pipe: each byte asks what runs; -1: nobody asks
	void (*print)(const char *text, size_t n); // what kernels print
	void (*error)(const char *text, size_t n); // reports and warnings
	int (*origin)(uint64_t address, struct pvm_origin *out); // of the allocation that begins there; 0 if there is none
};

// Facts: standard error is a terminal, where somebody waits.
enum { PVM_TERMINAL = 1 };

// What the Runtime API and the driver have in common of a thread of the program: one device that both mean.
enum { PVM_DEVICES = 64 };
struct pvm_thread {
	int32_t device;
	int32_t runtime;           // the thread has used the Runtime API, whose context is the primary one of its device
	uint32_t chosen;           // how often cudaSetDevice has chosen
	int32_t *process;          // some thread has used the Runtime API
	uint64_t own[PVM_DEVICES]; // the thread's default streams, by device
};

// What holds the images of a module, if that is known: a file, and what there is to say if it has no PTX; NULL: nothing.
struct pvm_holder { const char *file, *without; };

// A box of bytes and where it lies: dst and src with the distance of rows and of slices.
struct pvm_copy {
	uint64_t dst, dst_pitch, dst_slice;
	uint64_t src, src_pitch, src_slice;
	uint64_t width, height, depth;
};

// Kinds of calls that copy and fill, by which the engine knows when they return.
enum { PVM_ASYNC, PVM_SYNC, PVM_DURING };

struct pvm_launch {
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared, cooperative, programmatic; // programmatic: it may begin before the kernel in front of it is over
	uint64_t arguments;           // of an array of addresses, one a parameter
	uint64_t buffer, buffer_size; // or of the parameter block
	uint64_t context;             // that is current, as its number; 0: any will do
	uint32_t shared_mode, unused; // of shared memory; 0: the function's
	uint64_t events[2];           // that happen behind launch_dependents of all CTAs, and behind their beginnings; 0: none
};

// A node of a graph: what it does. Those fields count that its kind (cudaGraphNodeType) has.
struct pvm_node {
	int32_t kind, direction;     // direction of a copy
	struct pvm_launch launch;    // of a kernel
	struct pvm_copy copy;        // of a copy or fill
	uint64_t function, argument; // a kernel's function; a host function and its argument
	uint64_t handle;             // of an event, a child graph or a condition
	uint64_t address, size;      // of an allocation; size of a fill's elements; of a conditional node, its bodies and how many
	uint32_t value, reserved;    // of a fill; the kind of a conditional node
};

// What pvm_graph_list lists: nodes of a graph, ends of its edges; what a node comes after, and what comes after it. What the edges say
// (cudaGraphEdgeData, 8 bytes each) goes to says; where that is NULL and an edge of the list says something, it is a lossy query.
enum { PVM_NODES, PVM_ROOTS, PVM_EDGE_FROM, PVM_EDGE_TO, PVM_BEFORE, PVM_AFTER };

// An array. An extent of 0 is a dimension that there is not; depth also counts layers, and faces of cubes.
struct pvm_array {
	uint64_t width, height, depth;
	uint32_t channels, flags, levels, element; // element: bytes of a sample, told
	char format[12];                           // of a channel: u8, f32, unorm16
	uint32_t reserved;
	uint64_t address, pitch, rows;             // told; rows of a slice
};

// A texture object: of an array, or of samples at an address.
struct pvm_texture {
	uint64_t array; // 0: address
	uint64_t address, width, height, pitch;
	char format[12];
	uint32_t channels;
	uint32_t mode[3], linear, read_normalized, srgb, normalized, mip_linear; // mode: cudaTextureAddressMode
	float border[4], bias, least, most;
	uint32_t anisotropy, seamless;
	uint32_t viewed; // of an array: not 0 if the rest counts
	uint32_t view_channels;
	char view_format[12];              // empty: the array's
	uint32_t view_level[2], view_layer[2]; // the first and the last
	uint64_t view_width, view_height, view_depth;
};

// A tensor map (cuTensorMapEncodeTiled, …Im2col, …Im2colWide): numbers are those of the driver API.
struct pvm_tensor_map {
	uint64_t address;
	uint32_t type, rank, swizzle, interleave, nans;
	uint64_t dims[5], strides[5];
	uint32_t box[5], steps[5];
	uint32_t mode; // 0: tiles; 1: im2col; 2, 3: wide, mode W and W128
	int32_t lower[3], upper[3];
	uint32_t channels, pixels;
};

// What a stream does with a word: PVM_WRITE, or it waits as CUstreamWaitValue_flags say.
enum { PVM_WRITE = 4 };
struct pvm_value {
	int32_t kind, bits; // 32 or 64
	uint64_t address, value;
};

// X(name, parameters)
#define PVM_FUNCTIONS(X) \
	X(pvm_start, (const struct pvm_host *host)) \
	X(pvm_finish, (void)) \
	X(pvm_thread, (struct pvm_thread **out)) \
	X(pvm_device_count, (int32_t *n)) \
	X(pvm_device_attribute, (int32_t device, int32_t attribute, int32_t *value)) \
	X(pvm_device_name, (int32_t device, char *name, int32_t room)) \
	X(pvm_memory_info, (int32_t device, uint64_t *free, uint64_t *total)) \
	X(pvm_graph_memory, (int32_t device, int32_t count, uint64_t *n)) \
	X(pvm_graph_memory_reset, (int32_t device, int32_t count)) \
	X(pvm_synchronize, (int32_t device)) \
	X(pvm_reset, (int32_t device)) \
	X(pvm_sticky, (void)) \
	X(pvm_alloc, (int32_t device, uint64_t size, int32_t kind, uint64_t *address)) \
	X(pvm_alloc_host, (int32_t device, uint64_t size, uint32_t flags, uint64_t *address)) \
	X(pvm_host_flags, (uint64_t address, uint32_t *flags)) \
	X(pvm_free, (uint64_t address, int32_t pinned)) \
	X(pvm_free_in, (int32_t device, uint64_t stream, uint64_t address)) \
	X(pvm_alloc_in, (int32_t device, uint64_t stream, uint64_t size, uint64_t *address)) \
	X(pvm_set_synchronous, (uint64_t address, int32_t on)) \
	X(pvm_synchronous, (uint64_t address, uint32_t *on)) \
	X(pvm_pool_take, (uint64_t pool, uint64_t address)) \
	X(pvm_pool_use, (uint64_t pool, int32_t restart, uint64_t *used, uint64_t *high)) \
	X(pvm_pool_of, (uint64_t address, uint64_t *pool)) \
	X(pvm_register, (int32_t device, uint64_t address, uint64_t size)) \
	X(pvm_unregister, (uint64_t address)) \
	X(pvm_address_reserve, (uint64_t size, uint64_t alignment, uint64_t *address)) \
	X(pvm_address_free, (uint64_t address, uint64_t size)) \
	X(pvm_physical_create, (int32_t device, uint64_t size, uint64_t *handle)) \
	X(pvm_physical_release, (uint64_t handle)) \
	X(pvm_physical_retain, (uint64_t address, uint64_t *handle)) \
	X(pvm_physical_device, (uint64_t handle, int32_t *device)) \
	X(pvm_map, (uint64_t address, uint64_t size, uint64_t handle)) \
	X(pvm_unmap, (uint64_t address, uint64_t size)) \
	X(pvm_access_set, (uint64_t address, uint64_t size, int32_t on)) \
	X(pvm_access_get, (uint64_t address, int32_t *on)) \
	X(pvm_device_pointer, (uint64_t address, uint64_t *device)) \
	X(pvm_host_view, (uint64_t address, uint64_t size, uint64_t *at)) \
	X(pvm_host_wrote, (uint64_t address, uint64_t size)) \
	X(pvm_holding, (uint64_t address, uint64_t *start, uint64_t *size, int32_t *device, int32_t *kind)) \
	X(pvm_copy, (int32_t device, uint64_t stream, const struct pvm_copy *copy, int32_t kind, int32_t call)) \
	X(pvm_fill, (int32_t device, uint64_t stream, const struct pvm_copy *to, uint32_t value, uint32_t size, int32_t call)) \
	X(pvm_load, (const uint64_t *images, int32_t n, const struct pvm_holder *from, uint64_t *module, char *log, uint64_t log_room)) \
	X(pvm_unload, (uint64_t module)) \
	X(pvm_function, (int32_t device, uint64_t module, const char *name, uint64_t *function)) \
	X(pvm_variable, (int32_t device, uint64_t module, const char *name, uint64_t *address, uint64_t *size)) \
	X(pvm_managed_variable, (int32_t device, uint64_t module, const char *name, uint64_t *address, uint64_t *size)) \
	X(pvm_function_at, (int32_t device, uint64_t module, uint32_t i, uint64_t *function)) \
	X(pvm_function_module, (uint64_t function, uint64_t *module)) \
	X(pvm_function_get, (int32_t device, uint64_t function, int32_t attribute, int32_t *value)) \
	X(pvm_function_set, (int32_t device, uint64_t function, int32_t attribute, int32_t value)) \
	X(pvm_function_param, (uint64_t function, int32_t i, uint64_t *offset, uint64_t *size)) \
	X(pvm_function_name, (uint64_t function, char *name, int32_t room)) \
	X(pvm_occupancy_shared, (int32_t device, uint64_t function, int32_t blocks, int32_t threads, uint64_t *dynamic)) \
	X(pvm_occupancy_clusters, (int32_t device, uint64_t function, const struct pvm_launch *launch, int32_t *most, int32_t *clusters)) \
	X(pvm_occupancy, (int32_t device, uint64_t function, int32_t threads, uint64_t dynamic, int32_t *blocks)) \
	X(pvm_launch_failed, (uint64_t thread, const char *kernel, int32_t code)) \
	X(pvm_asked, (uint64_t thread)) \
	X(pvm_own, (uint64_t module, uint64_t context)) \
	X(pvm_launch, (int32_t device, uint64_t stream, uint64_t function, const struct pvm_launch *launch)) \
	X(pvm_stream_create, (int32_t device, uint32_t flags, int32_t priority, uint64_t *stream)) \
	X(pvm_stream_destroy, (uint64_t stream)) \
	X(pvm_stream_info, (uint64_t stream, int32_t *device, uint32_t *flags, int32_t *priority)) \
	X(pvm_stream_priority, (uint64_t stream, int32_t priority)) \
	X(pvm_stream_query, (int32_t device, uint64_t stream)) \
	X(pvm_stream_synchronize, (int32_t device, uint64_t stream)) \
	X(pvm_stream_wait, (int32_t device, uint64_t stream, uint64_t event, int32_t external)) \
	X(pvm_stream_values, (int32_t device, uint64_t stream, const struct pvm_value *values, uint64_t n)) \
	X(pvm_host_function, (int32_t device, uint64_t stream, uint64_t function, uint64_t argument)) \
	X(pvm_event_create, (int32_t device, uint32_t flags, uint64_t *event)) \
	X(pvm_event_destroy, (uint64_t event)) \
	X(pvm_event_record, (int32_t device, uint64_t event, uint64_t stream, int32_t external)) \
	X(pvm_event_query, (uint64_t event)) \
	X(pvm_event_synchronize, (uint64_t event)) \
	X(pvm_event_elapsed, (uint64_t from, uint64_t to, float *ms)) \
	X(pvm_capture_begin, (int32_t device, uint64_t stream, uint64_t graph, const uint64_t *after, uint64_t n, int32_t mode)) \
	X(pvm_capture_mode, (int32_t *mode)) \
	X(pvm_capture_end, (int32_t device, uint64_t stream, uint64_t *graph)) \
	X(pvm_capture_info, (int32_t device, uint64_t stream, int32_t *status, uint64_t *id, uint64_t *graph, uint64_t *nodes, uint64_t *says, uint64_t *n)) \
	X(pvm_capture_depend, (int32_t device, uint64_t stream, const uint64_t *nodes, const uint64_t *says, uint64_t n, int32_t set)) \
	X(pvm_graph_create, (uint64_t *graph)) \
	X(pvm_graph_destroy, (uint64_t graph)) \
	X(pvm_graph_clone, (uint64_t graph, uint64_t *clone)) \
	X(pvm_graph_list, (uint64_t handle, int32_t what, uint64_t *list, uint64_t *says, uint64_t *n)) \
	X(pvm_graph_link, (uint64_t graph, const uint64_t *from, const uint64_t *to, const uint64_t *says, uint64_t n, int32_t remove)) \
	X(pvm_graph_dot, (uint64_t graph, const char *path)) \
	X(pvm_graph_retain, (uint64_t graph, uint64_t object, uint32_t count, uint32_t flags)) \
	X(pvm_graph_release, (uint64_t graph, uint64_t object, uint32_t count)) \
	X(pvm_object_create, (uint64_t ptr, uint64_t destroy, uint32_t count, uint32_t flags, uint64_t *object)) \
	X(pvm_object_retain, (uint64_t object, uint32_t count)) \
	X(pvm_object_release, (uint64_t object, uint32_t count)) \
	X(pvm_condition_create, (int32_t device, uint64_t graph, uint32_t value, uint32_t flags, uint64_t *handle)) \
	X(pvm_node_add, (int32_t device, uint64_t graph, const uint64_t *after, uint64_t n, struct pvm_node *how, uint64_t *node)) \
	X(pvm_node_get, (uint64_t node, struct pvm_node *how, uint64_t *graph, uint32_t *id)) \
	X(pvm_node_set, (uint64_t node, struct pvm_node *how)) \
	X(pvm_node_attribute, (uint64_t node, int32_t id, void *value, int32_t set)) \
	X(pvm_node_attributes, (uint64_t to, uint64_t from)) \
	X(pvm_node_destroy, (uint64_t node)) \
	X(pvm_node_find, (uint64_t node, uint64_t clone, uint64_t *found)) \
	X(pvm_graph_instantiate, (uint64_t graph, uint64_t flags, uint64_t *exec, uint64_t *at)) \
	X(pvm_graph_launch, (int32_t device, uint64_t stream, uint64_t exec)) \
	X(pvm_exec_destroy, (uint64_t exec)) \
	X(pvm_exec_flags, (uint64_t exec, uint64_t *flags)) \
	X(pvm_exec_set, (uint64_t exec, uint64_t node, struct pvm_node *how)) \
	X(pvm_exec_update, (uint64_t exec, uint64_t graph, int32_t *reason, uint64_t *at, uint64_t *from)) \
	X(pvm_exec_enable, (uint64_t exec, uint64_t node, int32_t on)) \
	X(pvm_exec_enabled, (uint64_t exec, uint64_t node, uint32_t *on)) \
	X(pvm_array_create, (int32_t device, const struct pvm_array *how, uint64_t *array)) \
	X(pvm_array_destroy, (uint64_t array)) \
	X(pvm_array_level, (uint64_t array, uint32_t level, uint64_t *out)) \
	X(pvm_array_info, (uint64_t array, struct pvm_array *out)) \
	X(pvm_texture_create, (int32_t device, const struct pvm_texture *how, uint64_t *object)) \
	X(pvm_texture_destroy, (uint64_t object)) \
	X(pvm_texture_get, (uint64_t object, struct pvm_texture *out)) \
	X(pvm_surface_create, (uint64_t array, uint64_t *object)) \
	X(pvm_surface_destroy, (uint64_t object)) \
	X(pvm_surface_get, (uint64_t object, uint64_t *array)) \
	X(pvm_tensor_map, (const struct pvm_tensor_map *how, void *map)) \
	X(pvm_tensor_map_at, (void *map, uint64_t address))

#endif
