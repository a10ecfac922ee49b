// Launches, and what the Runtime API says of kernels.
#include "cudart.h"

#include <string.h>

static error_t launch(const void *func, struct pvm_launch *l, stream_t stream) {
	struct kernel *k;
	uint64_t f;
	error_t e = engine();
	if (e == SUCCESS) e = kernel_of(func, &k, &f);
	if (e == SUCCESS) e = pvm_launch(T.device, stream_of(stream), f, l);
	if (e != SUCCESS && T.popped && engine_loaded()) { // what <<<>>> stands for drops the result
		const char *name = kernel_name(func);
		T.failed = 1;
		pvm_launch_failed((uintptr_t)&T, name ? name : "", e);
	}
	T.popped = 0;
	return done(e);
}

static struct pvm_launch shape(dim3 grid, dim3 block, void **args, size_t shared) {
	struct pvm_launch l = {.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .shared = (uint32_t)shared, .arguments = (uintptr_t)args};
	if (shared > UINT32_MAX) l.shared = UINT32_MAX;
	return l;
}

BOTH(cudaLaunchKernel, _ptsz, (const void *func, dim3 grid, dim3 block, void **args, size_t shared, stream_t stream),
	(func, grid, block, args, shared, stream)) {
	struct pvm_launch l = shape(grid, block, args, shared);
	return launch(func, &l, stream);
}

BOTH(__cudaLaunchKernel, _ptsz, (const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, stream_t stream),
	(kernel, grid, block, args, shared, stream)) {
	struct pvm_launch l = shape(grid, block, args, shared);
	return launch(kernel, &l, stream);
}

BOTH(cudaLaunchCooperativeKernel, _ptsz, (const void *func, dim3 grid, dim3 block, void **args, size_t shared, stream_t stream),
	(func, grid, block, args, shared, stream)) {
	struct pvm_launch l = shape(grid, block, args, shared);
	l.cooperative = 1;
	return launch(func, &l, stream);
}

BOTH(cudaLaunchKernelExC, _ptsz, (const struct config *c, const void *func, void **args), (c, func, args)) {
	if (!c) return done(INVALID_VALUE);
	struct pvm_launch l = shape(c->grid, c->block, args, c->shared);
	with_attributes(c, &l);
	return launch(func, &l, c->stream);
}

enum { FUNC_MAX_THREADS, FUNC_SHARED, FUNC_CONST, FUNC_LOCAL, FUNC_REGISTERS, FUNC_PTX, FUNC_BINARY, FUNC_CACHE, FUNC_DYNAMIC, FUNC_CARVEOUT };

enum { FUNC_SHARED_MODE_HERE = 16, FUNC_SHARED_MODE = 17 }; // the one attribute that has another number in the driver API

PUBLIC error_t cudaFuncGetAttributes(struct func_attributes *out, const void *func) {
	struct kernel *k;
	uint64_t f;
	error_t e = engine();
	if (e == SUCCESS) e = kernel_of(func, &k, &f);
	if (e == SUCCESS && !out) e = INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	int32_t v[FUNC_CARVEOUT + 1];
	for (int i = 0; i <= FUNC_CARVEOUT; i++)
		if ((e = pvm_function_get(T.device, f, i, &v[i]))) return done(e);
	memset(out, 0, sizeof *out);
	out->shared = v[FUNC_SHARED], out->constant = v[FUNC_CONST], out->local = v[FUNC_LOCAL];
	out->max_threads = v[FUNC_MAX_THREADS], out->registers = v[FUNC_REGISTERS];
	out->ptx = v[FUNC_PTX], out->binary = v[FUNC_BINARY], out->cache = v[FUNC_CACHE];
	out->max_dynamic = v[FUNC_DYNAMIC], out->carveout = v[FUNC_CARVEOUT];
	return done(pvm_function_get(T.device, f, FUNC_SHARED_MODE, &out->shared_mode));
}

PUBLIC error_t cudaFuncSetAttribute(const void *func, int attribute, int value) {
	struct kernel *k;
	uint64_t f;
	error_t e = engine();
	if (e == SUCCESS) e = kernel_of(func, &k, &f);
	if (attribute == FUNC_SHARED_MODE_HERE) attribute = FUNC_SHARED_MODE;
	return done(e ? e : pvm_function_set(T.device, f, attribute, value));
}

PUBLIC error_t cudaFuncSetCacheConfig(const void *func, int config) {
	return config < 0 || config > 3 ? done(INVALID_VALUE) : cudaFuncSetAttribute(func, FUNC_CACHE, config);
}

PUBLIC error_t cudaFuncGetName(const char **name, const void *func) {
	struct kernel *k;
	uint64_t f;
	error_t e = engine();
	if (e == SUCCESS) e = kernel_of(func, &k, &f);
	if (e == SUCCESS) *name = k->name;
	return done(e);
}

PUBLIC error_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads, size_t shared, unsigned flags) {
	struct kernel *k;
	uint64_t f;
	error_t e = engine();
	if (flags > 1) e = INVALID_VALUE;
	if (e == SUCCESS) e = kernel_of(func, &k, &f);
	return done(e ? e : pvm_occupancy(T.device, f, threads, shared, blocks));
}

PUBLIC error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads, size_t shared) {
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0);
}

BOTH(cudaLaunchHostFunc, _ptsz, (stream_t stream, void (*fn)(void *), void *data), (stream, fn, data)) {
	CALL(pvm_host_function(T.device, stream_of(stream), (uintptr_t)fn, (uintptr_t)data));
}

static error_t found(const void *func, uint64_t *f) {
	struct kernel *k;
	error_t e = engine();
	return e ? e : kernel_of(func, &k, f);
}

PUBLIC error_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *func, int blocks, int threads) {
	uint64_t f;
	error_t e = shared ? found(func, &f) : INVALID_VALUE;
	return done(e ? e : pvm_occupancy_shared(T.device, f, blocks, threads, shared));
}

static error_t clusters(int32_t *most, int32_t *n, const void *func, const struct config *c) {
	uint64_t f;
	error_t e = c ? found(func, &f) : INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	struct pvm_launch l = shape(c->grid, c->block, NULL, c->shared);
	with_attributes(c, &l);
	return done(pvm_occupancy_clusters(T.device, f, &l, most, n));
}

PUBLIC error_t cudaOccupancyMaxActiveClusters(int *n, const void *func, const struct config *c) { return n ? clusters(NULL, n, func, c) : done(INVALID_VALUE); }
PUBLIC error_t cudaOccupancyMaxPotentialClusterSize(int *most, const void *func, const struct config *c) { return most ? clusters(most, NULL, func, c) : done(INVALID_VALUE); }

// A cudaFunction_t is the engine's; a cudaKernel_t what has been registered.
PUBLIC error_t cudaGetFuncBySymbol(uint64_t *out, const void *symbol) { return done(out ? found(symbol, out) : INVALID_VALUE); }

PUBLIC error_t cudaGetKernel(struct kernel **out, const void *symbol) {
	uint64_t f;
	error_t e = engine();
	return done(e ? e : !out ? INVALID_VALUE : kernel_of(symbol, out, &f));
}

PUBLIC error_t cudaFuncGetParamInfo(const void *func, size_t i, size_t *offset, size_t *size) {
	uint64_t f;
	error_t e = offset && i <= INT32_MAX ? found(func, &f) : INVALID_VALUE;
	return done(e ? e : pvm_function_param(f, (int32_t)i, offset, size));
}

PUBLIC error_t cudaFuncGetParamCount(const void *func, size_t *n) {
	uint64_t f, offset;
	error_t e = n ? found(func, &f) : INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	for (*n = 0; pvm_function_param(f, (int32_t)*n, &offset, NULL) == SUCCESS; ++*n) {}
	return SUCCESS;
}

PUBLIC error_t cudaFuncSetSharedMemConfig(const void *func, int config) {
	uint64_t f;
	return done(config < 0 || config > 2 ? INVALID_VALUE : found(func, &f));
}

PUBLIC error_t cudaKernelSetAttributeForDevice(struct kernel *k, int attribute, int value, int device) {
	uint64_t f;
	error_t e = found(k, &f);
	return done(e ? e : pvm_function_set(device, f, attribute, value));
}
