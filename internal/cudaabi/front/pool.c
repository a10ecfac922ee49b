// Memory in the order of streams, for both libraries. A pool says of which kind and on which device; all take from the
// device's memory.
#include "api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 5, THRESHOLD = 4, RESERVED = 5, RESERVED_HIGH, USED, USED_HIGH };

// struct pool is what a CUmemoryPool points to; the engine counts by id what it has given out.
struct pool { int device, own, kind; uint64_t id, attributes[ATTRIBUTES]; struct pool *next; };

enum { PINNED_ID = MAX_DEVICES + 1, MANAGED_ID, FIRST_ID }; // device d's is d + 1
static struct pool pools[MAX_DEVICES], pinned_pool = {.kind = MEMORY_PINNED, .id = PINNED_ID}, managed_pool = {.kind = MEMORY_MANAGED, .id = MANAGED_ID};
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *own_pools;
static uint64_t next_id = FIRST_ID;
static struct pool *chosen[MAX_DEVICES], *chosen_pinned, *chosen_managed; // by cuDeviceSetMemPool, cuMemSetMemPool

static struct pool *pool_of(int device) {
	pools[device].device = device;
	pools[device].kind = MEMORY_DEVICE;
	pools[device].id = (uint64_t)device + 1;
	return &pools[device];
}

// kind_at is who memory is for by what a program says of it: where it is (CUmemLocationType), and whether it is pinned
// there or managed (CUmemAllocationType). 0: there is no such memory.
enum { SOMEWHERE, ON_DEVICE, ON_HOST, ON_NUMA_NODE, ON_THIS_NUMA_NODE };
enum { PINNED = 1, MANAGED };

static int kind_at(int location, int type) {
	int host = location == ON_HOST || location == ON_NUMA_NODE || location == ON_THIS_NUMA_NODE;
	if (type == MANAGED && (host || location == ON_DEVICE || location == SOMEWHERE)) return MEMORY_MANAGED;
	if (type != PINNED) return 0;
	return host ? MEMORY_PINNED : location == ON_DEVICE ? MEMORY_DEVICE : 0;
}

// choice_of is where the pool is that a program has chosen for a kind of memory.
static struct pool **choice_of(int kind, int device) {
	return kind == MEMORY_DEVICE ? &chosen[device] : kind == MEMORY_PINNED ? &chosen_pinned : &chosen_managed;
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
	ANYTIME(!p ? INVALID_VALUE : device_ok(device) ? INVALID_DEVICE : p->kind != MEMORY_DEVICE ? INVALID_VALUE : (chosen[device] = p, SUCCESS));
}

SHARED(MemPoolCreate)(struct pool **out, const struct properties *how) {
	error_t e = anytime();
	int kind = e == SUCCESS && out && how ? kind_at(how->location, how->type) : 0;
	if (e == SUCCESS && !kind) e = INVALID_VALUE;
	if (e == SUCCESS && how->location == ON_DEVICE) e = device_ok(how->id);
	if (e != SUCCESS) return noted(e);
	struct pool *p = calloc(1, sizeof *p);
	if (!p) return noted(OUT_OF_MEMORY);
	p->device = how->location == ON_DEVICE ? how->id : 0, p->own = 1, p->kind = kind;
	pthread_mutex_lock(&pools_lock);
	p->id = next_id++, p->next = own_pools, own_pools = p;
	pthread_mutex_unlock(&pools_lock);
	*out = p;
	return SUCCESS;
}

SHARED(MemPoolDestroy)(struct pool *p) {
	if (!p || !p->own) ANYTIME(INVALID_VALUE);
	struct pool **choice = choice_of(p->kind, p->device);
	if (*choice == p) *choice = NULL;
	pthread_mutex_lock(&pools_lock);
	for (struct pool **at = &own_pools; *at; at = &(*at)->next)
		if (*at == p) { *at = p->next; break; }
	pthread_mutex_unlock(&pools_lock);
	free(p);
	ANYTIME(SUCCESS);
}

SHARED(MemPoolTrimTo)(struct pool *p, size_t keep) {
	(void)keep; // what is freed is free
	ANYTIME(p ? SUCCESS : INVALID_VALUE);
}

// Up to the threshold, attributes may be set: those of 4 bytes are switches, on at first. Behind it they say how much is in use; what is
// freed is free at once, so that as much is reserved. The most may be set to 0, and counts from then on.
SHARED(MemPoolGetAttribute)(struct pool *p, int attribute, void *out) {
	uint64_t used, high;
	error_t e = anytime();
	if (e == SUCCESS && (!p || !out || attribute < 1 || attribute > USED_HIGH)) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_pool_use(p->id, 0, &used, &high);
	if (e != SUCCESS) return noted(e);
	if (attribute < THRESHOLD) *(int32_t *)out = !p->attributes[attribute];
	else *(uint64_t *)out = attribute == THRESHOLD ? p->attributes[THRESHOLD] : attribute == USED_HIGH || attribute == RESERVED_HIGH ? high : used;
	return SUCCESS;
}

SHARED(MemPoolSetAttribute)(struct pool *p, int attribute, const void *value) {
	uint64_t used, high;
	error_t e = anytime();
	if (e == SUCCESS && (!p || !value || attribute < 1 || attribute > USED_HIGH || attribute == RESERVED || attribute == USED)) e = INVALID_VALUE;
	if (e == SUCCESS && attribute > THRESHOLD) e = *(const uint64_t *)value ? INVALID_VALUE : pvm_pool_use(p->id, 1, &used, &high);
	if (e != SUCCESS) return noted(e);
	if (attribute < THRESHOLD) p->attributes[attribute] = !*(const int32_t *)value;
	if (attribute == THRESHOLD) p->attributes[THRESHOLD] = *(const uint64_t *)value;
	return SUCCESS;
}

// struct access is how a device may use a pool; struct location where memory is.
struct location { int32_t type, id; };
struct access { struct location where; int32_t how; };
enum { READ_WRITE = 3 };

// Devices share addresses: each reaches the memory of all, so access cannot be taken away.
SHARED(MemPoolSetAccess)(struct pool *p, const struct access *list, size_t n) {
	error_t e = !p || (n && !list) ? INVALID_VALUE : SUCCESS;
	for (size_t i = 0; i < n && e == SUCCESS; i++)
		if (!kind_at(list[i].where.type, PINNED) || (list[i].how != READ_WRITE && list[i].how != 0)) e = INVALID_VALUE;
	ANYTIME(e);
}

SHARED(MemPoolGetAccess)(int *how, struct pool *p, struct location *where) {
	ANYTIME(!how || !p || !where || !kind_at(where->type, PINNED) ? INVALID_VALUE :
		where->type == ON_DEVICE && device_ok(where->id) ? INVALID_DEVICE : (*how = READ_WRITE, SUCCESS));
}

static error_t pool_at(struct pool **out, struct location *where, int type, int own) {
	int kind = out && where ? kind_at(where->type, type) : 0;
	if (!kind) return INVALID_VALUE;
	if (where->type == ON_DEVICE && device_ok(where->id)) return INVALID_DEVICE;
	struct pool *choice = *choice_of(kind, where->id);
	*out = own && choice ? choice : kind == MEMORY_DEVICE ? pool_of(where->id) : kind == MEMORY_PINNED ? &pinned_pool : &managed_pool;
	return SUCCESS;
}

SHARED(MemGetDefaultMemPool)(struct pool **out, struct location *where, int type) { ANYTIME(pool_at(out, where, type, 0)); }
SHARED(MemGetMemPool)(struct pool **out, struct location *where, int type) { ANYTIME(pool_at(out, where, type, 1)); }

SHARED(MemSetMemPool)(struct location *where, int type, struct pool *p) {
	struct pool *old;
	ANYTIME(!p || pool_at(&old, where, type, 1) || p->kind != old->kind ? INVALID_VALUE : (*choice_of(p->kind, where->id) = p, SUCCESS));
}

static error_t allocate(uint64_t *out, size_t size, int device, int kind, stream_t s) {
	if (kind != MEMORY_DEVICE) return pvm_alloc(device, size, kind, out); // memory of the host is there at once, and freed in the stream's order
	error_t e = pvm_alloc_in(device, stream_of(s), size, out);
	if (e == SUCCESS) note_block(*out, size, "an allocation in a stream", NULL);
	return e;
}

// take is an allocation from a pool, or from the one of the current device.
static error_t take(uint64_t *out, size_t size, struct pool *p, stream_t s) {
	if (!out) return INVALID_VALUE;
	if (!p && device_ok(T.device)) return INVALID_DEVICE;
	if (!p) p = chosen[T.device] ? chosen[T.device] : pool_of(T.device);
	error_t e = allocate(out, size, p->device, p->kind, s);
	return e || !size ? e : pvm_pool_take(p->id, *out);
}

void *pool_at_address(uint64_t address) {
	uint64_t id = 0;
	if (pvm_pool_of(address, &id) != SUCCESS || !id) return NULL;
	if (id <= MAX_DEVICES) return pool_of((int)id - 1);
	if (id < FIRST_ID) return id == PINNED_ID ? &pinned_pool : &managed_pool;
	pthread_mutex_lock(&pools_lock);
	struct pool *p = own_pools;
	while (p && p->id != id) p = p->next;
	pthread_mutex_unlock(&pools_lock);
	return p;
}

#ifdef DRIVER
BOTH(cuMemAllocAsync, _ptsz, (uint64_t *out, size_t size, stream_t s), (out, size, s)) { WITH(size ? take(out, size, NULL, s) : INVALID_VALUE); }
BOTH(cuMemAllocFromPoolAsync, _ptsz, (uint64_t *out, size_t size, struct pool *p, stream_t s), (out, size, p, s)) {
	WITH(p && size ? take(out, size, p, s) : INVALID_VALUE);
}
BOTH(cuMemFreeAsync, _ptsz, (uint64_t p, stream_t s), (p, s)) { WITH((forget_block(p), pvm_free_in(T.device, stream_of(s), p))); }
#else
BOTH(cudaMallocAsync, _ptsz, (uint64_t *out, size_t size, stream_t s), (out, size, s)) { CALL(take(out, size, NULL, s)); }
BOTH(cudaMallocFromPoolAsync, _ptsz, (uint64_t *out, size_t size, struct pool *p, stream_t s), (out, size, p, s)) {
	CALL(p ? take(out, size, p, s) : INVALID_VALUE);
}
BOTH(cudaFreeAsync, _ptsz, (uint64_t p, stream_t s), (p, s)) { CALL((forget_block(p), pvm_free_in(T.device, stream_of(s), p))); }
#endif

SHARED(DeviceGraphMemTrim)(int device) { ANYTIME(device_ok(device)); } // what no graph has is free already

SHARED(DeviceGetGraphMemAttribute)(int device, int attribute, uint64_t *value) {
	ANYTIME(value ? pvm_graph_memory(device, attribute, value) : INVALID_VALUE);
}

SHARED(DeviceSetGraphMemAttribute)(int device, int attribute, uint64_t *value) {
	ANYTIME(!value || *value ? INVALID_VALUE : pvm_graph_memory_reset(device, attribute));
}
