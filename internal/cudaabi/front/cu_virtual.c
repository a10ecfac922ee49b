// Virtual memory: addresses, memory without an address, and which is where.
#include "cu.h"

#include <string.h>

enum { GRANULARITY = 2 << 20 };

// struct place is CUmemLocation; struct physical CUmemAllocationProp; struct access CUmemAccessDesc.
enum { PLACE_DEVICE = 1 };
enum { PINNED = 1 };
enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };
struct place { int32_t type, id; };
struct physical { int32_t type, handles; struct place place; const void *windows; uint8_t compression, rdma; uint16_t usage; uint8_t reserved[4]; };
struct access { struct place place; int32_t flags; };
_Static_assert(sizeof(struct physical) == 32 && sizeof(struct access) == 12, "layout");

// here says whether a place is one of our devices: memory of the host has an address of its own.
static error_t here(const struct place *p) {
	static int said;
	return p->type == PLACE_DEVICE ? device_ok(p->id) : p->type > PLACE_DEVICE ? unsupported("virtual memory of the host", &said) : INVALID_VALUE;
}

static error_t kind_ok(const struct physical *how) {
	static int said;
	if (!how || how->type != PINNED) return INVALID_VALUE;
	if (how->handles) return unsupported("virtual memory that other processes share", &said);
	return here(&how->place);
}

static error_t granularity(size_t *out, const struct physical *how, int option) {
	error_t e = !out || option < 0 || option > 1 ? INVALID_VALUE : kind_ok(how);
	if (e == SUCCESS) *out = GRANULARITY;
	return e;
}

PUBLIC error_t cuMemGetAllocationGranularity(size_t *out, const struct physical *how, int option) { READY(granularity(out, how, option)); }

// An address that the program would like is only a wish, which is not granted.
PUBLIC error_t cuMemAddressReserve(address_t *out, size_t size, size_t alignment, address_t wish, unsigned long long flags) {
	(void)wish;
	READY(!out || flags ? INVALID_VALUE : pvm_address_reserve(size, alignment, out));
}

PUBLIC error_t cuMemAddressFree(address_t p, size_t size) { READY(pvm_address_free(p, size)); }

static error_t create(uint64_t *out, size_t size, const struct physical *how, unsigned long long flags) {
	error_t e = !out || flags ? INVALID_VALUE : kind_ok(how);
	return e ? e : pvm_physical_create(how->place.id, size, out);
}

PUBLIC error_t cuMemCreate(uint64_t *out, size_t size, const struct physical *how, unsigned long long flags) { READY(create(out, size, how, flags)); }
PUBLIC error_t cuMemRelease(uint64_t handle) { READY(pvm_physical_release(handle)); }
PUBLIC error_t cuMemRetainAllocationHandle(uint64_t *out, const void *p) { READY(out ? pvm_physical_retain((uintptr_t)p, out) : INVALID_VALUE); }

static error_t properties_of(struct physical *out, uint64_t handle) {
	int32_t device;
	error_t e = out ? pvm_physical_device(handle, &device) : INVALID_VALUE;
	if (e != SUCCESS) return e;
	memset(out, 0, sizeof *out);
	out->type = PINNED;
	out->place = (struct place){PLACE_DEVICE, device};
	return SUCCESS;
}

PUBLIC error_t cuMemGetAllocationPropertiesFromHandle(struct physical *out, uint64_t handle) { READY(properties_of(out, handle)); }

// The first bytes of the memory: an offset must be 0.
PUBLIC error_t cuMemMap(address_t p, size_t size, size_t offset, uint64_t handle, unsigned long long flags) {
	READY(offset || flags ? INVALID_VALUE : pvm_map(p, size, handle));
}

PUBLIC error_t cuMemUnmap(address_t p, size_t size) {
	forget_block(p);
	READY(pvm_unmap(p, size));
}

// Devices share addresses: what one may access all may, if some may.
static error_t set_access(address_t p, size_t size, const struct access *list, size_t n, const char *by, void *caller) {
	static int said;
	int on = 0;
	if (!list || n == 0) return INVALID_VALUE;
	for (size_t i = 0; i < n; i++) {
		error_t e = here(&list[i].place);
		if (e != SUCCESS) return e;
		switch (list[i].flags) {
		case ACCESS_NONE: break;
		case ACCESS_READ_WRITE: on = 1; break;
		case ACCESS_READ: return unsupported("virtual memory that may only be read", &said);
		default: return INVALID_VALUE;
		}
	}
	error_t e = pvm_access_set(p, size, on);
	if (e == SUCCESS) on ? note_block(p, size, by, caller) : forget_block(p);
	return e;
}

PUBLIC error_t cuMemSetAccess(address_t p, size_t size, const struct access *list, size_t n) {
	void *caller = CALLER;
	READY(set_access(p, size, list, n, "cuMemSetAccess", caller));
}

static error_t get_access(unsigned long long *flags, const struct place *place, address_t p) {
	int32_t on;
	error_t e = flags && place ? here(place) : INVALID_VALUE;
	if (e == SUCCESS) e = pvm_access_get(p, &on);
	if (e == SUCCESS) *flags = on ? ACCESS_READ_WRITE : ACCESS_NONE;
	return e;
}

PUBLIC error_t cuMemGetAccess(unsigned long long *flags, const struct place *place, address_t p) { READY(get_access(flags, place, p)); }
