// Memory of the driver API.
#include "cu.h"

#include <string.h>

static error_t allocate(address_t *out, size_t size, int kind) {
	return !out || !size ? INVALID_VALUE : pvm_alloc(T.device, size, kind, out);
}

static error_t allocate_device(address_t *out, size_t size, const char *by, void *caller) {
	error_t e = allocate(out, size, MEMORY_DEVICE);
	if (e == SUCCESS) note_block(*out, size, by, caller);
	return e;
}

PUBLIC error_t cuMemAlloc_v2(address_t *out, size_t size) { WITH(allocate_device(out, size, "cuMemAlloc", CALLER)); }
PUBLIC error_t cuMemFree_v2(address_t p) { WITH((forget_block(p), pvm_free(p, 0))); }
PUBLIC error_t cuMemAllocHost_v2(address_t *out, size_t size) { WITH(allocate(out, size, MEMORY_PINNED)); }
PUBLIC error_t cuMemHostAlloc(address_t *out, size_t size, unsigned flags) { WITH(flags > 7 || !out || !size ? INVALID_VALUE : pvm_alloc_host(T.device, size, flags, out)); }
PUBLIC error_t cuMemFreeHost(address_t p) { WITH(p ? pvm_free(p, 1) : INVALID_VALUE); }

PUBLIC error_t cuMemAllocManaged(address_t *out, size_t size, unsigned flags) {
	WITH(flags != 1 && flags != 2 ? INVALID_VALUE : allocate(out, size, MEMORY_MANAGED));
}

enum { PITCH = 512 };

PUBLIC error_t cuMemAllocPitch_v2(address_t *out, size_t *pitch, size_t width, size_t height, unsigned element) {
	if (!pitch || width > SIZE_MAX / 2 || (element != 4 && element != 8 && element != 16)) return INVALID_VALUE;
	*pitch = (width + PITCH - 1) / PITCH * PITCH;
	if (height && *pitch > SIZE_MAX / height) return OUT_OF_MEMORY;
	WITH(allocate(out, *pitch * height, MEMORY_DEVICE));
}

PUBLIC error_t cuMemGetInfo_v2(size_t *free, size_t *total) { WITH(free && total ? pvm_memory_info(T.device, free, total) : INVALID_VALUE); }

PUBLIC error_t cuMemGetAddressRange_v2(address_t *start, size_t *size, address_t p) {
	error_t e = current();
	if (e != SUCCESS) return e;
	return pvm_holding(p, start, size, NULL, NULL) ? NOT_FOUND : SUCCESS;
}

PUBLIC error_t cuMemHostGetDevicePointer_v2(address_t *out, address_t p, unsigned flags) {
	if (!out || flags) return INVALID_VALUE;
	error_t e = current();
	return e ? e : pvm_device_pointer(p, out);
}

PUBLIC error_t cuMemHostGetFlags(unsigned *flags, address_t p) { WITH(flags ? pvm_host_flags(p, flags) : INVALID_VALUE); }

// copy is a copy of one row.
static error_t copy(address_t dst, address_t src, size_t n, int kind, stream_t stream, int call) {
	struct pvm_copy c = {dst, n, n, src, n, n, n, 1, 1};
	return pvm_copy(T.device, stream_of(stream), &c, kind, call);
}

BOTH(cuMemcpyHtoD_v2, _ptds, (address_t dst, address_t src, size_t n), (dst, src, n)) { WITH(copy(dst, src, n, HOST_TO_DEVICE, 0, PVM_SYNC)); }
BOTH(cuMemcpyDtoH_v2, _ptds, (address_t dst, address_t src, size_t n), (dst, src, n)) { WITH(copy(dst, src, n, DEVICE_TO_HOST, 0, PVM_SYNC)); }
BOTH(cuMemcpyDtoD_v2, _ptds, (address_t dst, address_t src, size_t n), (dst, src, n)) { WITH(copy(dst, src, n, DEVICE_TO_DEVICE, 0, PVM_SYNC)); }
BOTH(cuMemcpy, _ptds, (address_t dst, address_t src, size_t n), (dst, src, n)) { WITH(copy(dst, src, n, COPY_DEFAULT, 0, PVM_SYNC)); }

BOTH(cuMemcpyHtoDAsync_v2, _ptsz, (address_t dst, address_t src, size_t n, stream_t s), (dst, src, n, s)) { WITH(copy(dst, src, n, HOST_TO_DEVICE, s, PVM_ASYNC)); }
BOTH(cuMemcpyDtoHAsync_v2, _ptsz, (address_t dst, address_t src, size_t n, stream_t s), (dst, src, n, s)) { WITH(copy(dst, src, n, DEVICE_TO_HOST, s, PVM_ASYNC)); }
BOTH(cuMemcpyDtoDAsync_v2, _ptsz, (address_t dst, address_t src, size_t n, stream_t s), (dst, src, n, s)) { WITH(copy(dst, src, n, DEVICE_TO_DEVICE, s, PVM_ASYNC)); }
BOTH(cuMemcpyAsync, _ptsz, (address_t dst, address_t src, size_t n, stream_t s), (dst, src, n, s)) { WITH(copy(dst, src, n, COPY_DEFAULT, s, PVM_ASYNC)); }

static error_t peer(address_t dst, void *to, address_t src, void *from, size_t n, stream_t s, int call) {
	WITH(context_of(to) && context_of(from) ? copy(dst, src, n, DEVICE_TO_DEVICE, s, call) : INVALID_CONTEXT);
}

BOTH(cuMemcpyPeer, _ptds, (address_t dst, void *to, address_t src, void *from, size_t n), (dst, to, src, from, n)) { return peer(dst, to, src, from, n, 0, PVM_SYNC); }
BOTH(cuMemcpyPeerAsync, _ptsz, (address_t dst, void *to, address_t src, void *from, size_t n, stream_t s), (dst, to, src, from, n, s)) {
	return peer(dst, to, src, from, n, s, PVM_ASYNC);
}

// The kinds of memory in the structures for copies.
enum { IN_HOST = 1, IN_DEVICE = 2, IN_ARRAY = 3, UNIFIED = 4 };

// struct end2 and struct end3 are one end of a copy.
struct end2 { size_t x, y; int32_t type; address_t host, device; void *array; size_t pitch; };
struct copy2 { struct end2 src, dst; size_t width, height; };
struct end3 { size_t x, y, z, level; int32_t type; address_t host, device; void *array, *reserved; size_t pitch, height; };
struct copy3 { struct end3 src, dst; size_t width, height, depth; };
_Static_assert(sizeof(struct copy2) == 128 && sizeof(struct copy3) == 200, "layout");

static error_t place(const struct end3 *end, uint64_t *at, uint64_t *pitch, uint64_t *slice) {
	struct pvm_array a;
	switch (end->type) {
	case IN_HOST: *at = end->host; break;
	case IN_DEVICE: case UNIFIED: *at = end->device; break;
	case IN_ARRAY: {
		error_t e = pvm_array_info((uintptr_t)end->array, &a);
		return e ? e : array_place(&a, end->x, end->y, end->z, at, pitch, slice);
	}
	default: return INVALID_VALUE;
	}
	*pitch = end->pitch;
	*slice = end->pitch * end->height;
	*at += end->x + end->y * *pitch + end->z * *slice;
	return SUCCESS;
}

static int kind_of(int from, int to) {
	if (from == UNIFIED || to == UNIFIED) return COPY_DEFAULT;
	return from == IN_HOST ? (to == IN_HOST ? HOST_TO_HOST : HOST_TO_DEVICE) : to == IN_HOST ? DEVICE_TO_HOST : DEVICE_TO_DEVICE;
}

static error_t holds(const struct end3 *end, const struct pvm_copy *p) {
	return end->type == IN_ARRAY ? array_holds((uintptr_t)end->array, end->x, end->y, end->z, p) : SUCCESS;
}

static error_t described(const struct copy3 *c, struct pvm_copy *p) {
	*p = (struct pvm_copy){.width = c->width, .height = c->height, .depth = c->depth};
	error_t e = place(&c->dst, &p->dst, &p->dst_pitch, &p->dst_slice);
	if (e == SUCCESS) e = place(&c->src, &p->src, &p->src_pitch, &p->src_slice);
	if (e == SUCCESS) e = holds(&c->dst, p);
	return e ? e : holds(&c->src, p);
}

static error_t box(const struct copy3 *c, stream_t s, int call) {
	struct pvm_copy p;
	error_t e = described(c, &p);
	return e ? e : pvm_copy(T.device, stream_of(s), &p, kind_of(c->src.type, c->dst.type), call);
}

// Nodes of graphs.
error_t into_copy(const void *params, struct pvm_node *n) {
	const struct copy3 *c = params;
	n->direction = kind_of(c->src.type, c->dst.type);
	return described(c, &n->copy);
}

static struct end3 end_of(uint64_t at, uint64_t pitch, uint64_t slice, int host) {
	struct end3 e = {.type = host ? IN_HOST : UNIFIED, .pitch = pitch, .height = pitch ? slice / pitch : 0};
	*(host ? &e.host : &e.device) = at;
	return e;
}

error_t out_of_copy(const struct pvm_node *n, void *params) {
	const struct pvm_copy *c = &n->copy;
	*(struct copy3 *)params = (struct copy3){
		end_of(c->src, c->src_pitch, c->src_slice, n->direction == HOST_TO_DEVICE || n->direction == HOST_TO_HOST),
		end_of(c->dst, c->dst_pitch, c->dst_slice, n->direction == DEVICE_TO_HOST || n->direction == HOST_TO_HOST),
		c->width, c->height, c->depth,
	};
	return SUCCESS;
}

// A pitch of 0 is the width: rows without a gap.
static struct end3 deep(const struct end2 *e, size_t width, size_t height) {
	return (struct end3){.x = e->x, .y = e->y, .type = e->type, .host = e->host, .device = e->device, .array = e->array, .pitch = e->pitch ? e->pitch : width, .height = height};
}

static error_t flat(const struct copy2 *c, stream_t s, int call) {
	if (!c) return INVALID_VALUE;
	return box(&(struct copy3){deep(&c->src, c->width, c->height), deep(&c->dst, c->width, c->height), c->width, c->height, 1}, s, call);
}

BOTH(cuMemcpy2D_v2, _ptds, (const struct copy2 *c), (c)) { WITH(flat(c, 0, PVM_SYNC)); }
BOTH(cuMemcpy2DUnaligned_v2, _ptds, (const struct copy2 *c), (c)) { WITH(flat(c, 0, PVM_SYNC)); }
BOTH(cuMemcpy2DAsync_v2, _ptsz, (const struct copy2 *c, stream_t s), (c, s)) { WITH(flat(c, s, PVM_ASYNC)); }
BOTH(cuMemcpy3D_v2, _ptds, (const struct copy3 *c), (c)) { WITH(c ? box(c, 0, PVM_SYNC) : INVALID_VALUE); }
BOTH(cuMemcpy3DAsync_v2, _ptsz, (const struct copy3 *c, stream_t s), (c, s)) { WITH(c ? box(c, s, PVM_ASYNC) : INVALID_VALUE); }

// Those of two contexts have these in the reserved words: all devices share addresses.
BOTH(cuMemcpy3DPeer, _ptds, (const struct copy3 *c), (c)) { WITH(c ? box(c, 0, PVM_SYNC) : INVALID_VALUE); }
BOTH(cuMemcpy3DPeerAsync, _ptsz, (const struct copy3 *c, stream_t s), (c, s)) { WITH(c ? box(c, s, PVM_ASYNC) : INVALID_VALUE); }

// fill sets rows of elements; the pitch is in bytes.
static error_t fill(address_t dst, size_t pitch, uint32_t value, uint32_t size, size_t width, size_t height, stream_t s, int call) {
	if (width > SIZE_MAX / size) return INVALID_VALUE;
	size_t bytes = width * size;
	if (height > 1 && pitch < bytes) return INVALID_VALUE;
	struct pvm_copy c = {dst, height > 1 ? pitch : bytes, 0, 0, 0, 0, bytes, height, 1};
	c.dst_slice = c.dst_pitch * height;
	return pvm_fill(T.device, stream_of(s), &c, value, size, call);
}

#define FILLS(letters, type, size) \
	BOTH(cuMemset##letters##_v2, _ptds, (address_t dst, type v, size_t n), (dst, v, n)) { WITH(fill(dst, 0, v, size, n, 1, 0, PVM_SYNC)); } \
	BOTH(cuMemset##letters##Async, _ptsz, (address_t dst, type v, size_t n, stream_t s), (dst, v, n, s)) { WITH(fill(dst, 0, v, size, n, 1, s, PVM_ASYNC)); } \
	BOTH(cuMemsetD2##letters##_v2, _ptds, (address_t dst, size_t pitch, type v, size_t w, size_t h), (dst, pitch, v, w, h)) { WITH(fill(dst, pitch, v, size, w, h, 0, PVM_SYNC)); } \
	BOTH(cuMemsetD2##letters##Async, _ptsz, (address_t dst, size_t pitch, type v, size_t w, size_t h, stream_t s), (dst, pitch, v, w, h, s)) { WITH(fill(dst, pitch, v, size, w, h, s, PVM_ASYNC)); }

FILLS(D8, uint8_t, 1)
FILLS(D16, uint16_t, 2)
FILLS(D32, uint32_t, 4)

// Attributes of pointers, with CUDA's numbers.
enum { P_CONTEXT = 1, P_TYPE, P_DEVICE, P_HOST, P_TOKENS, P_SYNC, P_ID, P_MANAGED, P_ORDINAL, P_IPC, P_START, P_SIZE, P_MAPPED,
	P_HANDLES, P_RDMA, P_ACCESS, P_POOL };

struct holding { uint64_t start, size; int32_t device, kind; };

// answer stores an attribute of an address that we have given out.
static error_t answer(void *out, int attribute, address_t p, const struct holding *h) {
	switch (attribute) {
	case P_CONTEXT: *(struct context **)out = context_on(h->device); return SUCCESS;
	case P_TYPE: *(uint32_t *)out = h->kind == MEMORY_PINNED ? IN_HOST : IN_DEVICE; return SUCCESS;
	case P_DEVICE: *(address_t *)out = p; return SUCCESS;
	case P_HOST:
		if (h->kind == MEMORY_DEVICE) return INVALID_VALUE;
		*(address_t *)out = p;
		return SUCCESS;
	case P_SYNC: return pvm_synchronous(p, out);
	case P_MANAGED: *(uint32_t *)out = h->kind == MEMORY_MANAGED; return SUCCESS;
	case P_ID: *(uint64_t *)out = h->start; return SUCCESS;
	case P_ORDINAL: *(int32_t *)out = h->device; return SUCCESS;
	case P_START: *(address_t *)out = h->start; return SUCCESS;
	case P_SIZE: *(size_t *)out = h->size; return SUCCESS;
	case P_MAPPED: *(uint8_t *)out = 1; return SUCCESS;
	case P_IPC: case P_RDMA: *(uint8_t *)out = 0; return SUCCESS;
	case P_HANDLES: *(uint64_t *)out = 0; return SUCCESS;
	case P_ACCESS: *(uint32_t *)out = 3; return SUCCESS; // read and write
	case P_POOL: *(void **)out = pool_at_address(p); return SUCCESS;
	}
	return INVALID_VALUE;
}

static error_t holding(address_t p, struct holding *h) { return pvm_holding(p, &h->start, &h->size, &h->device, &h->kind); }

PUBLIC error_t cuPointerGetAttribute(void *out, int attribute, address_t p) {
	struct holding h;
	error_t e = ready();
	if (e == SUCCESS && !out) e = INVALID_VALUE;
	if (e == SUCCESS) e = holding(p, &h);
	return e ? e : answer(out, attribute, p, &h);
}

// none stores what an address that is not ours has: nothing.
static void none(void *out, int attribute) {
	switch (attribute) {
	case P_CONTEXT: case P_DEVICE: case P_HOST: case P_ID: case P_START: case P_SIZE: case P_HANDLES: case P_POOL: *(uint64_t *)out = 0; return;
	case P_ORDINAL: *(int32_t *)out = -2; return;
	case P_MAPPED: case P_IPC: case P_RDMA: *(uint8_t *)out = 0; return;
	default: *(uint32_t *)out = 0;
	}
}

PUBLIC error_t cuPointerGetAttributes(unsigned n, const int *attributes, void **out, address_t p) {
	struct holding h;
	error_t e = ready();
	if (e == SUCCESS && (!n || !attributes || !out)) e = INVALID_VALUE;
	if (e != SUCCESS) return e;
	int ours = holding(p, &h) == SUCCESS;
	for (unsigned i = 0; i < n; i++) {
		if (attributes[i] < P_CONTEXT || attributes[i] > P_POOL || attributes[i] == P_TOKENS) return INVALID_VALUE;
		if (!ours || answer(out[i], attributes[i], p, &h) != SUCCESS) none(out[i], attributes[i]);
	}
	return SUCCESS;
}

PUBLIC error_t cuPointerSetAttribute(const void *value, int attribute, address_t p) {
	READY(!value || attribute != P_SYNC ? INVALID_VALUE : pvm_set_synchronous(p, *(const uint32_t *)value != 0));
}

// within checks that bytes lie in one allocation.
static error_t within(address_t p, size_t n) {
	struct holding h;
	error_t e = holding(p, &h);
	return e ? e : n > h.start + h.size - p ? INVALID_VALUE : SUCCESS;
}

BOTH(cuMemPrefetchAsync_v2, _ptsz, (address_t p, size_t n, uint64_t location, unsigned flags, stream_t s), (p, n, location, flags, s)) {
	(void)location, (void)s; // all memory is near
	WITH(flags ? INVALID_VALUE : within(p, n));
}

BOTH(cuMemPrefetchAsync, _ptsz, (address_t p, size_t n, int device, stream_t s), (p, n, device, s)) {
	(void)device, (void)s;
	WITH(within(p, n));
}

PUBLIC error_t cuMemAdvise_v2(address_t p, size_t n, int advice, uint64_t location) {
	(void)location;
	WITH(advice < 1 || advice > 6 ? INVALID_VALUE : within(p, n));
}

PUBLIC error_t cuMemAdvise(address_t p, size_t n, int advice, int device) { return cuMemAdvise_v2(p, n, advice, (uint64_t)device); }

// The program's own memory, which kernels reach at its address.
enum { REGISTER_FLAGS = 0xf };

PUBLIC error_t cuMemHostRegister_v2(address_t p, size_t n, unsigned flags) { WITH(flags > REGISTER_FLAGS ? INVALID_VALUE : pvm_register(T.device, p, n)); }
PUBLIC error_t cuMemHostUnregister(address_t p) { WITH(pvm_unregister(p)); }

// What only those call who know that memory of the device is the host's, too: ptxvm.torch, which computes there on the CPU. Host
// functions of streams, which have no context, may call it.

// ptxvmHostView is where the host may read and write n bytes at p, which lie in one allocation: though PTXVM_HOST_ACCESS guards p.
PUBLIC error_t ptxvmHostView(address_t p, size_t n, address_t *at);
PUBLIC error_t ptxvmHostView(address_t p, size_t n, address_t *at) { READY(at && n ? pvm_host_view(p, n, at) : INVALID_VALUE); }

// ptxvmHostWrote says that the host has written n bytes at p by itself: to --sanitize init they have values.
PUBLIC error_t ptxvmHostWrote(address_t p, size_t n);
PUBLIC error_t ptxvmHostWrote(address_t p, size_t n) { READY(n ? pvm_host_wrote(p, n) : SUCCESS); }
