// Memory in the order of streams. A pool says on which device; all take from the device's memory.
#include "cu.h"

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

PUBLIC error_t cuDeviceGetDefaultMemPool(struct pool **out, int device) {
	READY(!out ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : (*out = pool_of(device), SUCCESS));
}

PUBLIC error_t cuDeviceGetMemPool(struct pool **out, int device) {
	READY(!out ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : (*out = chosen[device] ? chosen[device] : pool_of(device), SUCCESS));
}

PUBLIC error_t cuDeviceSetMemPool(int device, struct pool *p) {
	READY(!p ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : (chosen[device] = p, SUCCESS));
}

PUBLIC error_t cuMemPoolCreate(struct pool **out, const struct properties *how) {
	error_t e = current();
	if (e == SUCCESS && (!out || !how || how->type != 1 || how->location != 1)) e = INVALID_VALUE; // pinned, on a device
	if (e == SUCCESS) e = device_ok(how->id);
	if (e != SUCCESS) return e;
	struct pool *p = calloc(1, sizeof *p);
	if (!p) return OUT_OF_MEMORY;
	p->device = how->id, p->own = 1;
	*out = p;
	return SUCCESS;
}

PUBLIC error_t cuMemPoolDestroy(struct pool *p) {
	if (!p || !p->own) return INVALID_VALUE;
	if (chosen[p->device] == p) chosen[p->device] = NULL;
	free(p);
	return SUCCESS;
}

PUBLIC error_t cuMemPoolTrimTo(struct pool *p, size_t keep) {
	(void)keep; // what is freed is free
	READY(p ? SUCCESS : INVALID_VALUE);
}

// Up to the threshold, attributes are of 4 bytes and may be set; behind it they say how much is in use.
PUBLIC error_t cuMemPoolGetAttribute(struct pool *p, int attribute, void *out) {
	uint64_t free, total;
	error_t e = ready();
	if (e == SUCCESS && (!p || !out || attribute < 1 || attribute > USED_HIGH)) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_memory_info(p->device, &free, &total);
	if (e != SUCCESS) return e;
	if (attribute < THRESHOLD) *(int32_t *)out = !p->attributes[attribute];
	else *(uint64_t *)out = attribute == THRESHOLD ? p->attributes[THRESHOLD] : total - free;
	return SUCCESS;
}

PUBLIC error_t cuMemPoolSetAttribute(struct pool *p, int attribute, const void *value) {
	error_t e = ready();
	if (e == SUCCESS && (!p || !value || attribute < 1 || attribute > USED_HIGH || attribute == RESERVED || attribute == USED)) e = INVALID_VALUE;
	if (e != SUCCESS) return e;
	if (attribute < THRESHOLD) p->attributes[attribute] = !*(const int32_t *)value; // on at first
	if (attribute == THRESHOLD) p->attributes[THRESHOLD] = *(const uint64_t *)value;
	return SUCCESS;
}

static error_t allocate(address_t *out, size_t size, int device) { return !out || !size ? INVALID_VALUE : pvm_alloc(device, size, MEMORY_DEVICE, out); }

BOTH(cuMemAllocAsync, _ptsz, (address_t *out, size_t size, stream_t s), (out, size, s)) {
	WITH(!out || !size ? INVALID_VALUE : pvm_alloc_in(T.device, stream_of(s), size, out));
}

BOTH(cuMemAllocFromPoolAsync, _ptsz, (address_t *out, size_t size, struct pool *p, stream_t s), (out, size, p, s)) {
	(void)s;
	WITH(p ? allocate(out, size, p->device) : INVALID_VALUE);
}

BOTH(cuMemFreeAsync, _ptsz, (address_t p, stream_t s), (p, s)) { WITH(pvm_free_in(T.device, stream_of(s), p)); }
