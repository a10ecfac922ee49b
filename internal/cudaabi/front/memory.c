// Memory of the Runtime API.
#include "cudart.h"

#include <stdlib.h>
#include <string.h>

static error_t allocate(void **out, size_t size, int kind, const char *by, void *caller) {
	error_t e = engine();
	if (e == SUCCESS && !out) e = INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	uint64_t addr = 0;
	e = pvm_alloc(T.device, size, kind, &addr);
	if (e != SUCCESS) return done(e);
	*out = (void *)addr;
	if (kind == MEMORY_DEVICE) note_block(addr, size, by, caller);
	return SUCCESS;
}

// HERE is the function that the program calls, less the prefix of ztraced.h, and from where.
#define HERE __func__ + sizeof "real_" - 1, CALLER

PUBLIC error_t cudaMalloc(void **out, size_t size) { return allocate(out, size, MEMORY_DEVICE, HERE); }
PUBLIC error_t cudaMallocHost(void **out, size_t size) { return allocate(out, size, MEMORY_PINNED, HERE); }

PUBLIC error_t cudaHostAlloc(void **out, size_t size, unsigned flags) {
	CALL(flags > 7 || !out ? INVALID_VALUE : pvm_alloc_host(T.device, size, flags, (uint64_t *)out));
}

PUBLIC error_t cudaMallocManaged(void **out, size_t size, unsigned flags) {
	return size == 0 || (flags != 1 && flags != 2) ? done(INVALID_VALUE) : allocate(out, size, MEMORY_MANAGED, HERE);
}

enum { PITCH = 512 };

PUBLIC error_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
	if (!pitch || width > SIZE_MAX / 2) return done(INVALID_VALUE);
	size_t row = (width + PITCH - 1) / PITCH * PITCH;
	if (height && row > SIZE_MAX / height) return done(OUT_OF_MEMORY);
	error_t e = allocate(out, row * height, MEMORY_DEVICE, HERE);
	if (e == SUCCESS) *pitch = row;
	return e;
}

PUBLIC error_t cudaMalloc3D(struct pitched *out, struct extent extent) {
	if (!out) return done(INVALID_VALUE);
	if (extent.depth && extent.height > SIZE_MAX / extent.depth) return done(OUT_OF_MEMORY);
	error_t e = cudaMallocPitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
	if (e == SUCCESS) out->x = extent.width, out->y = extent.height;
	return e;
}

// freed is what cudaFree answers. Where PyTorch's own allocator is off, destructors of tensors call it, which end the process at an
// error: one that a kernel has left is told by the next call.
static error_t freed(error_t e) {
	return e != SUCCESS && e == pvm_sticky() && getenv("PYTORCH_NO_CUDA_MEMORY_CACHING") ? SUCCESS : e;
}

PUBLIC error_t cudaFree(void *p) {
	forget_block((uintptr_t)p);
	CALL(freed(pvm_free((uintptr_t)p, 0)));
}
PUBLIC error_t cudaFreeHost(void *p) { CALL(pvm_free((uintptr_t)p, 1)); }

PUBLIC error_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags) {
	error_t e = engine();
	if (e == SUCCESS && (!out || flags)) e = INVALID_VALUE;
	return done(e ? e : pvm_device_pointer((uintptr_t)p, (uint64_t *)out));
}

PUBLIC error_t cudaHostGetFlags(unsigned *flags, void *p) {
	CALL(flags ? pvm_host_flags((uintptr_t)p, flags) : INVALID_VALUE);
}

PUBLIC error_t cudaMemGetInfo(size_t *free, size_t *total) { CALL(pvm_memory_info(T.device, free, total)); }

// copy is a copy of one row.
static error_t copy(void *dst, const void *src, size_t n, int kind, stream_t stream, int call) {
	error_t e = engine();
	if (e != SUCCESS) return done(e);
	struct pvm_copy c = {(uintptr_t)dst, n, n, (uintptr_t)src, n, n, n, 1, 1};
	return done(pvm_copy(T.device, stream_of(stream), &c, kind, call));
}

BOTH(cudaMemcpy, _ptds, (void *dst, const void *src, size_t n, int kind), (dst, src, n, kind)) {
	return copy(dst, src, n, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpyAsync, _ptsz, (void *dst, const void *src, size_t n, int kind, stream_t stream), (dst, src, n, kind, stream)) {
	return copy(dst, src, n, kind, stream, PVM_ASYNC);
}

PUBLIC error_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t n) {
	(void)to, (void)from;
	return copy(dst, src, n, DEVICE_TO_DEVICE, 0, PVM_SYNC);
}

PUBLIC error_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t n, stream_t stream) {
	(void)to, (void)from;
	return copy(dst, src, n, DEVICE_TO_DEVICE, stream, PVM_ASYNC);
}

static error_t copy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, int kind, stream_t stream, int call) {
	error_t e = engine();
	if (e != SUCCESS) return done(e);
	if (w > dpitch || w > spitch) return done(INVALID_PITCH);
	struct pvm_copy c = {(uintptr_t)dst, dpitch, dpitch * h, (uintptr_t)src, spitch, spitch * h, w, h, 1};
	return done(pvm_copy(T.device, stream_of(stream), &c, kind, call));
}

BOTH(cudaMemcpy2D, _ptds, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, int kind), (dst, dpitch, src, spitch, w, h, kind)) {
	return copy2d(dst, dpitch, src, spitch, w, h, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpy2DAsync, _ptsz, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, int kind, stream_t stream),
	(dst, dpitch, src, spitch, w, h, kind, stream)) {
	return copy2d(dst, dpitch, src, spitch, w, h, kind, stream, PVM_ASYNC);
}

// place3d finds one end of a copy: in an array, positions and widths count samples.
static error_t place3d(uint64_t array, struct position at, struct pitched ptr, uint64_t *addr, uint64_t *pitch, uint64_t *slice, uint64_t *element) {
	if (!array) {
		*addr = (uintptr_t)ptr.ptr + at.x + at.y * ptr.pitch + at.z * ptr.pitch * ptr.y;
		*pitch = ptr.pitch, *slice = ptr.pitch * ptr.y;
		return SUCCESS;
	}
	struct pvm_array a;
	error_t e = pvm_array_info(array, &a);
	if (e != SUCCESS) return e;
	*element = a.element;
	return array_place(&a, at.x * a.element, at.y, at.z, addr, pitch, slice);
}

error_t box_of(const struct params3d *p, struct pvm_copy *c) {
	uint64_t element = 1;
	*c = (struct pvm_copy){.height = p->extent.height, .depth = p->extent.depth};
	error_t e = place3d((uintptr_t)p->dst_array, p->dst_pos, p->dst, &c->dst, &c->dst_pitch, &c->dst_slice, &element);
	if (e == SUCCESS) e = place3d((uintptr_t)p->src_array, p->src_pos, p->src, &c->src, &c->src_pitch, &c->src_slice, &element);
	if (e != SUCCESS) return e;
	if (p->extent.width > SIZE_MAX / 2 / element) return INVALID_VALUE;
	c->width = p->extent.width * element;
	if (p->dst_array) e = array_holds((uintptr_t)p->dst_array, p->dst_pos.x * element, p->dst_pos.y, p->dst_pos.z, c);
	if (p->src_array && e == SUCCESS) e = array_holds((uintptr_t)p->src_array, p->src_pos.x * element, p->src_pos.y, p->src_pos.z, c);
	return e;
}

static error_t copy3d(const struct params3d *p, stream_t stream, int call) {
	struct pvm_copy c;
	error_t e = engine();
	if (e == SUCCESS && !p) e = INVALID_VALUE;
	if (e == SUCCESS) e = box_of(p, &c);
	return done(e ? e : pvm_copy(T.device, stream_of(stream), &c, p->kind, call));
}

BOTH(cudaMemcpy3D, _ptds, (const struct params3d *p), (p)) { return copy3d(p, 0, PVM_SYNC); }
BOTH(cudaMemcpy3DAsync, _ptsz, (const struct params3d *p, stream_t stream), (p, stream)) { return copy3d(p, stream, PVM_ASYNC); }

static error_t fill(void *dst, int value, size_t pitch, struct extent x, size_t rows, stream_t stream, int call) {
	error_t e = engine();
	if (e != SUCCESS) return done(e);
	if (x.height > 1 && x.width > pitch) return done(INVALID_VALUE);
	struct pvm_copy c = {(uintptr_t)dst, pitch, pitch * rows, 0, 0, 0, x.width, x.height, x.depth};
	return done(pvm_fill(T.device, stream_of(stream), &c, (uint8_t)value, 1, call));
}

BOTH(cudaMemset, _ptds, (void *dst, int value, size_t n), (dst, value, n)) { return fill(dst, value, n, (struct extent){n, 1, 1}, 1, 0, PVM_SYNC); }

BOTH(cudaMemsetAsync, _ptsz, (void *dst, int value, size_t n, stream_t stream), (dst, value, n, stream)) {
	return fill(dst, value, n, (struct extent){n, 1, 1}, 1, stream, PVM_ASYNC);
}

BOTH(cudaMemset2D, _ptds, (void *dst, size_t pitch, int value, size_t w, size_t h), (dst, pitch, value, w, h)) {
	return fill(dst, value, pitch, (struct extent){w, h, 1}, h, 0, PVM_SYNC);
}

BOTH(cudaMemset2DAsync, _ptsz, (void *dst, size_t pitch, int value, size_t w, size_t h, stream_t stream), (dst, pitch, value, w, h, stream)) {
	return fill(dst, value, pitch, (struct extent){w, h, 1}, h, stream, PVM_ASYNC);
}

BOTH(cudaMemset3D, _ptds, (struct pitched p, int value, struct extent x), (p, value, x)) { return fill(p.ptr, value, p.pitch, x, p.y, 0, PVM_SYNC); }

BOTH(cudaMemset3DAsync, _ptsz, (struct pitched p, int value, struct extent x, stream_t stream), (p, value, x, stream)) {
	return fill(p.ptr, value, p.pitch, x, p.y, stream, PVM_ASYNC);
}

error_t symbol_at(const void *host, size_t n, size_t offset, char **at) {
	uint64_t addr, size;
	error_t e = engine();
	if (e == SUCCESS) e = symbol_of(host, &addr, &size);
	if (e != SUCCESS) return e;
	if (offset > size || n > size - offset) return INVALID_VALUE;
	*at = (char *)addr + offset;
	return SUCCESS;
}

static error_t to_symbol(const void *host, const void *src, size_t n, size_t offset, int kind, stream_t stream, int call) {
	char *at;
	error_t e = symbol_at(host, n, offset, &at);
	if (kind == DEVICE_TO_HOST || kind == HOST_TO_HOST) e = INVALID_DIRECTION;
	return e ? done(e) : copy(at, src, n, kind, stream, call);
}

static error_t from_symbol(void *dst, const void *host, size_t n, size_t offset, int kind, stream_t stream, int call) {
	char *at;
	error_t e = symbol_at(host, n, offset, &at);
	if (kind == HOST_TO_DEVICE || kind == HOST_TO_HOST) e = INVALID_DIRECTION;
	return e ? done(e) : copy(dst, at, n, kind, stream, call);
}

BOTH(cudaMemcpyToSymbol, _ptds, (const void *host, const void *src, size_t n, size_t offset, int kind), (host, src, n, offset, kind)) {
	return to_symbol(host, src, n, offset, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpyFromSymbol, _ptds, (void *dst, const void *host, size_t n, size_t offset, int kind), (dst, host, n, offset, kind)) {
	return from_symbol(dst, host, n, offset, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpyToSymbolAsync, _ptsz, (const void *host, const void *src, size_t n, size_t offset, int kind, stream_t stream),
	(host, src, n, offset, kind, stream)) {
	return to_symbol(host, src, n, offset, kind, stream, PVM_ASYNC);
}

BOTH(cudaMemcpyFromSymbolAsync, _ptsz, (void *dst, const void *host, size_t n, size_t offset, int kind, stream_t stream),
	(dst, host, n, offset, kind, stream)) {
	return from_symbol(dst, host, n, offset, kind, stream, PVM_ASYNC);
}

PUBLIC error_t cudaGetSymbolAddress(void **out, const void *host) {
	char *at;
	error_t e = symbol_at(host, 0, 0, &at);
	if (e == SUCCESS) *out = at;
	return done(e);
}

PUBLIC error_t cudaGetSymbolSize(size_t *out, const void *host) {
	uint64_t addr;
	error_t e = engine();
	return done(e ? e : symbol_of(host, &addr, out));
}

PUBLIC error_t cudaPointerGetAttributes(struct pointer_attributes *out, const void *p) {
	error_t e = engine();
	if (e == SUCCESS && !out) e = INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	memset(out, 0, sizeof *out);
	out->device = -2; // unregistered memory of the host belongs to none
	out->host_pointer = (void *)p;
	if (pvm_holding((uintptr_t)p, NULL, NULL, &out->device, &out->type) != SUCCESS) return SUCCESS;
	pvm_device_pointer((uintptr_t)p, (uint64_t *)&out->device_pointer);
	if (out->type == MEMORY_DEVICE) out->host_pointer = NULL;
	return SUCCESS;
}

BOTH(cudaMemPrefetchAsync, _ptsz, (const void *p, size_t n, uint64_t location, unsigned flags, stream_t stream), (p, n, location, flags, stream)) {
	uint64_t start, size;
	(void)location, (void)stream;
	error_t e = engine();
	if (e == SUCCESS) e = pvm_holding((uintptr_t)p, &start, &size, NULL, NULL);
	if (e == SUCCESS && (flags || n > start + size - (uintptr_t)p)) e = INVALID_VALUE;
	return done(e); // all memory is near
}

PUBLIC error_t cudaMemAdvise(const void *p, size_t n, int advice, uint64_t location) {
	uint64_t start, size;
	(void)location;
	error_t e = engine();
	if (e == SUCCESS) e = pvm_holding((uintptr_t)p, &start, &size, NULL, NULL);
	if (e == SUCCESS && (advice < 1 || advice > 6 || n > start + size - (uintptr_t)p)) e = INVALID_VALUE;
	return done(e);
}

// The program's own memory, which kernels reach at its address.
enum { REGISTER_FLAGS = 0xf };

PUBLIC error_t cudaHostRegister(void *p, size_t n, unsigned flags) { CALL(flags > REGISTER_FLAGS ? INVALID_VALUE : pvm_register(T.device, (uintptr_t)p, n)); }
PUBLIC error_t cudaHostUnregister(void *p) { CALL(pvm_unregister((uintptr_t)p)); }

struct peer_copy { void *src_array; struct position src_pos; struct pitched src; int from; void *dst_array; struct position dst_pos; struct pitched dst; int to; struct extent extent; };

static error_t peer3d(const struct peer_copy *p, stream_t s, int call) {
	struct pvm_copy c;
	if (!p) return done(INVALID_VALUE);
	struct params3d plain = {p->src_array, p->src_pos, p->src, p->dst_array, p->dst_pos, p->dst, p->extent, DEVICE_TO_DEVICE};
	error_t e = engine();
	if (e == SUCCESS) e = box_of(&plain, &c);
	return done(e ? e : pvm_copy(T.device, stream_of(s), &c, plain.kind, call));
}

BOTH(cudaMemcpy3DPeer, _ptds, (const struct peer_copy *p), (p)) { return peer3d(p, 0, PVM_SYNC); }
BOTH(cudaMemcpy3DPeerAsync, _ptsz, (const struct peer_copy *p, stream_t s), (p, s)) { return peer3d(p, s, PVM_ASYNC); }
