// Memory in the order of streams, for both libraries. A pool says on which device; all take from the device's memory.
#include "api.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 16, THRESHOLD = 4, RESERVED = 5, RESERVED_HIGH, USED, USED_HIGH };

// struct pool is what a CUmemoryPool points to.
struct pool { int device, own; uint64_t attributes[ATTRIBUTES]; };

static struct pool pools[MAX_DEVICES];
static struct pool *chosen[MAX_DEVICES]; // by cuDeviceSetMemPool

static struct pool *pool_of(int device) {
	pools[device].device = device;
	return &pools[device];
}

// struct properties is CUmemPoolProps.
struct properties { int32_t type, handles, location, id; void *security; size_t most; int16_t usage; uint8_t reserved[54]; };
_Static_assert(sizeof(struct properties) == 88, "layout");

SHARED(DeviceGetDefaultMemPool)(struct pool **out, int device) {
	ANYTIME(!out ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : (*out = pool_of(device), SUCCESS));
}

SHARED(DeviceGetMemPool)(struct pool **out, int device) {
	ANYTIME(!out ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : (*out = chosen[device] ? chosen[device] : pool_of(device), SUCCESS));
}

SHARED(DeviceSetMemPool)(int device, struct pool *p) {
	ANYTIME(!p ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : (chosen[device] = p, SUCCESS));
}

SHARED(MemPoolCreate)(struct pool **out, const struct properties *how) {
	error_t e = anytime();
	if (e == SUCCESS && (!out || !how || how->type != 1 || how->location != 1)) e = INVALID_VALUE; // pinned, on a device
	if (e == SUCCESS) e = device_ok(how->id);
	if (e != SUCCESS) return noted(e);
	struct pool *p = calloc(1, sizeof *p);
	if (!p) return noted(OUT_OF_MEMORY);
	p->device = how->id, p->own = 1;
	*out = p;
	return SUCCESS;
}

SHARED(MemPoolDestroy)(struct pool *p) {
	if (!p || !p->own) ANYTIME(INVALID_VALUE);
	if (chosen[p->device] == p) chosen[p->device] = NULL;
	free(p);
	ANYTIME(SUCCESS);
}

SHARED(MemPoolTrimTo)(struct pool *p, size_t keep) {
	(void)keep; // what is freed is free
	ANYTIME(p ? SUCCESS : INVALID_VALUE);
}

// Up to the threshold, attributes are of 4 bytes and may be set; behind it they say how much is in use.
SHARED(MemPoolGetAttribute)(struct pool *p, int attribute, void *out) {
	uint64_t free, total;
	error_t e = anytime();
	if (e == SUCCESS && (!p || !out || attribute < 1 || attribute > USED_HIGH)) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_memory_info(p->device, &free, &total);
	if (e != SUCCESS) return noted(e);
	if (attribute < THRESHOLD) *(int32_t *)out = !p->attributes[attribute];
	else *(uint64_t *)out = attribute == THRESHOLD ? p->attributes[THRESHOLD] : total - free;
	return SUCCESS;
}

SHARED(MemPoolSetAttribute)(struct pool *p, int attribute, const void *value) {
	error_t e = anytime();
	if (e == SUCCESS && (!p || !value || attribute < 1 || attribute > USED_HIGH || attribute == RESERVED || attribute == USED)) e = INVALID_VALUE;
	if (e != SUCCESS) return noted(e);
	if (attribute < THRESHOLD) p->attributes[attribute] = !*(const int32_t *)value; // on at first
	if (attribute == THRESHOLD) p->attributes[THRESHOLD] = *(const uint64_t *)value;
	return SUCCESS;
}

// struct access is how a device may use a pool; struct location where memory is.
struct location { int32_t type, id; };
struct access { struct location where; int32_t how; };
enum { ON_DEVICE = 1, READ_WRITE = 3, PINNED = 1 };

// Devices share addresses: each reaches the memory of all, so access cannot be taken away.
SHARED(MemPoolSetAccess)(struct pool *p, const struct access *list, size_t n) {
	error_t e = !p || (n && !list) ? INVALID_VALUE : SUCCESS;
	for (size_t i = 0; i < n && e == SUCCESS; i++)
		if (list[i].where.type != ON_DEVICE || (list[i].how != READ_WRITE && list[i].how != 0)) e = INVALID_VALUE;
	ANYTIME(e);
}

SHARED(MemPoolGetAccess)(int *how, struct pool *p, struct location *where) {
	ANYTIME(!how || !p || !where || where->type != ON_DEVICE ? INVALID_VALUE : device_ok(where->id) ? INVALID_DEVICE : (*how = READ_WRITE, SUCCESS));
}

static error_t pool_at(struct pool **out, struct location *where, int type, int own) {
	if (!out || !where || where->type != ON_DEVICE || type != PINNED) return INVALID_VALUE;
	if (device_ok(where->id)) return INVALID_DEVICE;
	*out = own && chosen[where->id] ? chosen[where->id] : pool_of(where->id);
	return SUCCESS;
}

SHARED(MemGetDefaultMemPool)(struct pool **out, struct location *where, int type) { ANYTIME(pool_at(out, where, type, 0)); }
SHARED(MemGetMemPool)(struct pool **out, struct location *where, int type) { ANYTIME(pool_at(out, where, type, 1)); }

SHARED(MemSetMemPool)(struct location *where, int type, struct pool *p) {
	struct pool *old;
	ANYTIME(!p ? INVALID_VALUE : pool_at(&old, where, type, 1) ? INVALID_VALUE : (chosen[where->id] = p, SUCCESS));
}

static error_t allocate(uint64_t *out, size_t size, int device, stream_t s) {
	error_t e = out ? pvm_alloc_in(device, stream_of(s), size, out) : INVALID_VALUE;
	if (e == SUCCESS) note_block(*out, size, "an allocation in a stream", NULL);
	return e;
}

#ifdef DRIVER
BOTH(cuMemAllocAsync, _ptsz, (uint64_t *out, size_t size, stream_t s), (out, size, s)) { WITH(size ? allocate(out, size, T.device, s) : INVALID_VALUE); }
BOTH(cuMemAllocFromPoolAsync, _ptsz, (uint64_t *out, size_t size, struct pool *p, stream_t s), (out, size, p, s)) {
	WITH(p && size ? allocate(out, size, p->device, s) : INVALID_VALUE);
}
BOTH(cuMemFreeAsync, _ptsz, (uint64_t p, stream_t s), (p, s)) { WITH((forget_block(p), pvm_free_in(T.device, stream_of(s), p))); }
#else
BOTH(cudaMallocAsync, _ptsz, (uint64_t *out, size_t size, stream_t s), (out, size, s)) { CALL(allocate(out, size, T.device, s)); }
BOTH(cudaMallocFromPoolAsync, _ptsz, (uint64_t *out, size_t size, struct pool *p, stream_t s), (out, size, p, s)) {
	CALL(p ? allocate(out, size, p->device, s) : INVALID_VALUE);
}
BOTH(cudaFreeAsync, _ptsz, (uint64_t p, stream_t s), (p, s)) { CALL((forget_block(p), pvm_free_in(T.device, stream_of(s), p))); }
#endif

// What graphs allocate is theirs until they are destroyed, and counted as device memory.
enum { GRAPH_RESERVED_HIGH = 3 };

SHARED(DeviceGraphMemTrim)(int device) { ANYTIME(device_ok(device)); }

SHARED(DeviceGetGraphMemAttribute)(int device, int attribute, uint64_t *value) {
	uint64_t free, total;
	error_t e = anytime();
	if (e == SUCCESS && (!value || attribute < 0 || attribute > GRAPH_RESERVED_HIGH)) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_memory_info(device, &free, &total);
	if (e == SUCCESS) *value = total - free;
	return noted(e);
}

SHARED(DeviceSetGraphMemAttribute)(int device, int attribute, uint64_t *value) {
	ANYTIME(!value || *value || attribute < 0 || attribute > GRAPH_RESERVED_HIGH ? INVALID_VALUE : device_ok(device));
}
