// Launches, attributes of functions, and occupancy.
#include "cu.h"

#include <string.h>

static error_t launch(function_t f, stream_t stream, struct pvm_launch *l, void **params, void **more) {
	if (params && more) return INVALID_VALUE;
	l->arguments = (uintptr_t)params, l->context = context_of(NULL)->id;
	error_t e = more ? extra_arguments(more, l) : SUCCESS;
	return e ? e : pvm_launch(T.device, stream_of(stream), f, l);
}

BOTH(cuLaunchKernel, _ptsz, (function_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, stream_t stream, void **params, void **more),
	(f, gx, gy, gz, bx, by, bz, shared, stream, params, more)) {
	struct pvm_launch l = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};
	WITH(launch(f, stream, &l, params, more));
}

BOTH(cuLaunchCooperativeKernel, _ptsz, (function_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, stream_t stream, void **params),
	(f, gx, gy, gz, bx, by, bz, shared, stream, params)) {
	struct pvm_launch l = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .cooperative = 1};
	WITH(launch(f, stream, &l, params, NULL));
}

BOTH(cuLaunchKernelEx, _ptsz, (const struct config *c, function_t f, void **params, void **more), (c, f, params, more)) {
	if (!c || (c->n && !c->attributes)) return INVALID_VALUE;
	struct pvm_launch l = {.shared = (uint32_t)c->shared}; // what lies behind its 4 bytes is padding
	memcpy(l.grid, &c->grid, sizeof l.grid);
	memcpy(l.block, &c->block, sizeof l.block);
	with_attributes(c, &l);
	WITH(launch(f, c->stream, &l, params, more));
}

BOTH(cuLaunchHostFunc, _ptsz, (stream_t stream, void (*fn)(void *), void *data), (stream, fn, data)) {
	WITH(pvm_host_function(T.device, stream_of(stream), (uintptr_t)fn, (uintptr_t)data));
}

enum { FUNC_MAX_THREADS = 0, FUNC_CACHE = 7 };

PUBLIC error_t cuFuncGetAttribute(int *value, int attribute, function_t f) {
	WITH(value ? pvm_function_get(T.device, f, attribute, value) : INVALID_VALUE);
}

PUBLIC error_t cuFuncSetAttribute(function_t f, int attribute, int value) { WITH(pvm_function_set(T.device, f, attribute, value)); }

PUBLIC error_t cuKernelGetAttribute(int *value, int attribute, function_t k, int device) {
	READY(value ? pvm_function_get(device, k, attribute, value) : INVALID_VALUE);
}

PUBLIC error_t cuKernelSetAttribute(int attribute, int value, function_t k, int device) { READY(pvm_function_set(device, k, attribute, value)); }

PUBLIC error_t cuFuncSetCacheConfig(function_t f, int config) {
	WITH(config < 0 || config > 3 ? INVALID_VALUE : pvm_function_set(T.device, f, FUNC_CACHE, config));
}

PUBLIC error_t cuKernelSetCacheConfig(function_t k, int config, int device) {
	READY(config < 0 || config > 3 ? INVALID_VALUE : pvm_function_set(device, k, FUNC_CACHE, config));
}

PUBLIC error_t cuFuncSetSharedMemConfig(function_t f, int config) {
	int32_t v;
	WITH(config < 0 || config > 2 ? INVALID_VALUE : pvm_function_get(T.device, f, FUNC_CACHE, &v));
}

PUBLIC error_t cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, function_t f, int threads, size_t shared, unsigned flags) {
	WITH(!blocks || flags > 1 ? INVALID_VALUE : pvm_occupancy(T.device, f, threads, shared, blocks));
}

PUBLIC error_t cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, function_t f, int threads, size_t shared) {
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

enum { WARP = 32, ATTRIBUTE_MULTIPROCESSORS = 16 };

// potential finds the block size that keeps the most threads resident; of equal ones the largest.
static error_t potential(int *grid, int *block, function_t f, size_t (*size)(int), size_t shared, int limit) {
	int32_t most, processors, blocks, best = 0;
	if (!grid || !block) return INVALID_VALUE;
	error_t e = pvm_function_get(T.device, f, FUNC_MAX_THREADS, &most);
	if (e == SUCCESS) e = pvm_device_attribute(T.device, ATTRIBUTE_MULTIPROCESSORS, &processors);
	if (limit > 0 && limit < most) most = limit;
	*grid = *block = 0;
	for (int n = most; n > 0 && e == SUCCESS; n = (n - 1) / WARP * WARP) {
		e = pvm_occupancy(T.device, f, n, size ? size(n) : shared, &blocks);
		if (e != SUCCESS || blocks * n <= best) continue;
		best = blocks * n;
		*block = n, *grid = blocks * processors;
	}
	return e;
}

PUBLIC error_t cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, function_t f, size_t (*size)(int), size_t shared, int limit, unsigned flags) {
	WITH(flags > 1 ? INVALID_VALUE : potential(grid, block, f, size, shared, limit));
}

PUBLIC error_t cuOccupancyMaxPotentialBlockSize(int *grid, int *block, function_t f, size_t (*size)(int), size_t shared, int limit) {
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, size, shared, limit, 0);
}

PUBLIC error_t cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, function_t f, int blocks, int threads) {
	WITH(shared ? pvm_occupancy_shared(T.device, f, blocks, threads, shared) : INVALID_VALUE);
}

// clusters asks for the largest cluster that a kernel may have, and how many of the given size run at once.
static error_t clusters(int32_t *most, int32_t *n, function_t f, const struct config *c) {
	if (!c || (c->n && !c->attributes)) return INVALID_VALUE;
	struct pvm_launch l = {.shared = (uint32_t)c->shared};
	memcpy(l.grid, &c->grid, sizeof l.grid);
	memcpy(l.block, &c->block, sizeof l.block);
	with_attributes(c, &l);
	return pvm_occupancy_clusters(T.device, f, &l, most, n);
}

PUBLIC error_t cuOccupancyMaxActiveClusters(int *n, function_t f, const struct config *c) { WITH(n ? clusters(NULL, n, f, c) : INVALID_VALUE); }
PUBLIC error_t cuOccupancyMaxPotentialClusterSize(int *most, function_t f, const struct config *c) { WITH(most ? clusters(most, NULL, f, c) : INVALID_VALUE); }

static error_t parameters(size_t *n, function_t f) {
	uint64_t offset;
	module_t m;
	error_t e = n ? pvm_function_module(f, &m) : INVALID_VALUE;
	if (e != SUCCESS) return e;
	size_t found = 0;
	while (pvm_function_param(f, (int32_t)found, &offset, NULL) == SUCCESS) found++;
	*n = found;
	return SUCCESS;
}

PUBLIC error_t cuFuncGetParamCount(function_t f, size_t *n) { READY(parameters(n, f)); }
PUBLIC error_t cuKernelGetParamCount(function_t k, size_t *n) { READY(parameters(n, k)); }

// Nodes of graphs: a kernel where there is no function is the same.
struct kernel_params { function_t function; struct dim grid, block; unsigned shared; void **arguments, **extra; function_t kernel; void *context; };
_Static_assert(sizeof(struct kernel_params) == 72, "layout");

error_t into_kernel(const void *params, struct pvm_node *n) {
	const struct kernel_params *p = params;
	if (p->arguments && p->extra) return INVALID_VALUE;
	n->function = p->function ? p->function : p->kernel;
	n->launch = (struct pvm_launch){.shared = p->shared, .arguments = (uintptr_t)p->arguments};
	memcpy(n->launch.grid, &p->grid, sizeof n->launch.grid);
	memcpy(n->launch.block, &p->block, sizeof n->launch.block);
	return p->extra ? extra_arguments(p->extra, &n->launch) : SUCCESS;
}

error_t out_of_kernel(const struct pvm_node *n, void *params) {
	struct kernel_params *p = params;
	*p = (struct kernel_params){.function = n->function, .shared = n->launch.shared, .arguments = (void **)n->launch.arguments};
	memcpy(&p->grid, n->launch.grid, sizeof p->grid);
	memcpy(&p->block, n->launch.block, sizeof p->block);
	return SUCCESS;
}
