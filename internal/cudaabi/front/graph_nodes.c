// Nodes of graphs that the Runtime API describes in structures of its own, and copies of symbols as nodes.
#include "cudart.h"

#include <string.h>

struct kernel_params { const void *func; dim3 grid, block; unsigned shared; void **arguments, **extra; };
_Static_assert(sizeof(struct kernel_params) == 56, "layout");

error_t into_kernel(const void *params, struct pvm_node *n) {
	const struct kernel_params *p = params;
	struct kernel *k;
	n->launch = (struct pvm_launch){.grid = {p->grid.x, p->grid.y, p->grid.z}, .block = {p->block.x, p->block.y, p->block.z}, .shared = p->shared, .arguments = (uintptr_t)p->arguments};
	error_t e = p->extra ? extra_arguments(p->extra, &n->launch) : SUCCESS;
	return e ? e : kernel_of(p->func, &k, &n->function);
}

error_t out_of_kernel(const struct pvm_node *n, void *params) {
	const struct pvm_launch *l = &n->launch;
	*(struct kernel_params *)params = (struct kernel_params){host_of(n->function), {l->grid[0], l->grid[1], l->grid[2]}, {l->block[0], l->block[1], l->block[2]}, l->shared, (void **)l->arguments, NULL};
	return SUCCESS;
}

error_t into_copy(const void *params, struct pvm_node *n) {
	const struct params3d *p = params;
	n->direction = p->kind;
	return box_of(p, &n->copy);
}

static struct pitched pitched_of(uint64_t at, uint64_t pitch, uint64_t slice) {
	return (struct pitched){(void *)at, pitch, pitch, pitch ? slice / pitch : 0};
}

error_t out_of_copy(const struct pvm_node *n, void *params) {
	const struct pvm_copy *c = &n->copy;
	*(struct params3d *)params = (struct params3d){
		.src = pitched_of(c->src, c->src_pitch, c->src_slice), .dst = pitched_of(c->dst, c->dst_pitch, c->dst_slice),
		.extent = {c->width, c->height, c->depth}, .kind = n->direction,
	};
	return SUCCESS;
}

// line is a copy of one row as a node.
static struct pvm_node line(const void *dst, const void *src, size_t n, int kind) {
	return (struct pvm_node){.kind = 1, .direction = kind, .copy = {(uintptr_t)dst, n, n, (uintptr_t)src, n, n, n, 1, 1}};
}

static error_t symbol_node(struct pvm_node *n, const void *ptr, const void *symbol, size_t size, size_t offset, int kind, int to) {
	char *at;
	error_t e = symbol_at(symbol, size, offset, &at);
	if (e == SUCCESS) *n = to ? line(at, ptr, size, kind) : line(ptr, at, size, kind);
	return e;
}

static error_t add(uint64_t *out, uint64_t g, const uint64_t *after, size_t n, struct pvm_node *how) {
	return !out || (n && !after) ? INVALID_VALUE : pvm_node_add(T.device, g, after, n, how, out);
}

PUBLIC error_t cudaGraphAddMemcpyNode1D(uint64_t *out, uint64_t g, const uint64_t *after, size_t n, void *dst, const void *src, size_t size, int kind) {
	struct pvm_node how = line(dst, src, size, kind);
	CALL(add(out, g, after, n, &how));
}

PUBLIC error_t cudaGraphMemcpyNodeSetParams1D(uint64_t node, void *dst, const void *src, size_t size, int kind) {
	struct pvm_node how = line(dst, src, size, kind);
	CALL(pvm_node_set(node, &how));
}

PUBLIC error_t cudaGraphExecMemcpyNodeSetParams1D(uint64_t exec, uint64_t node, void *dst, const void *src, size_t size, int kind) {
	struct pvm_node how = line(dst, src, size, kind);
	CALL(pvm_exec_set(exec, node, &how));
}

PUBLIC error_t cudaGraphAddMemcpyNodeToSymbol(uint64_t *out, uint64_t g, const uint64_t *after, size_t n, const void *symbol, const void *src, size_t size, size_t offset, int kind) {
	struct pvm_node how;
	error_t e = engine();
	if (e == SUCCESS) e = symbol_node(&how, src, symbol, size, offset, kind, 1);
	return done(e ? e : add(out, g, after, n, &how));
}

PUBLIC error_t cudaGraphAddMemcpyNodeFromSymbol(uint64_t *out, uint64_t g, const uint64_t *after, size_t n, void *dst, const void *symbol, size_t size, size_t offset, int kind) {
	struct pvm_node how;
	error_t e = engine();
	if (e == SUCCESS) e = symbol_node(&how, dst, symbol, size, offset, kind, 0);
	return done(e ? e : add(out, g, after, n, &how));
}

static error_t set_symbol(uint64_t exec, uint64_t node, const void *ptr, const void *symbol, size_t size, size_t offset, int kind, int to) {
	struct pvm_node how;
	error_t e = engine();
	if (e == SUCCESS) e = symbol_node(&how, ptr, symbol, size, offset, kind, to);
	return done(e ? e : exec ? pvm_exec_set(exec, node, &how) : pvm_node_set(node, &how));
}

PUBLIC error_t cudaGraphMemcpyNodeSetParamsToSymbol(uint64_t node, const void *symbol, const void *src, size_t size, size_t offset, int kind) {
	return set_symbol(0, node, src, symbol, size, offset, kind, 1);
}

PUBLIC error_t cudaGraphMemcpyNodeSetParamsFromSymbol(uint64_t node, void *dst, const void *symbol, size_t size, size_t offset, int kind) {
	return set_symbol(0, node, dst, symbol, size, offset, kind, 0);
}

PUBLIC error_t cudaGraphExecMemcpyNodeSetParamsToSymbol(uint64_t exec, uint64_t node, const void *symbol, const void *src, size_t size, size_t offset, int kind) {
	return exec ? set_symbol(exec, node, src, symbol, size, offset, kind, 1) : done(INVALID_VALUE);
}

PUBLIC error_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(uint64_t exec, uint64_t node, void *dst, const void *symbol, size_t size, size_t offset, int kind) {
	return exec ? set_symbol(exec, node, dst, symbol, size, offset, kind, 0) : done(INVALID_VALUE);
}
