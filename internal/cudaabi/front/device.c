// Devices of the Runtime API.
#include "cudart.h"

#include <stdio.h>
#include <string.h>

error_t device_ok(int device) {
	int32_t n = 0;
	error_t e = pvm_device_count(&n);
	return e ? e : device < 0 || device >= n ? INVALID_DEVICE : SUCCESS;
}

PUBLIC error_t cudaGetDeviceCount(int *n) {
	if (!n) return done(INVALID_VALUE);
	*n = 0;
	CALL(pvm_device_count(n));
}

PUBLIC error_t cudaSetDevice(int device) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(device);
	if (e == SUCCESS) choose(device), T.both->chosen++;
	return done(e ? e : pvm_sticky());
}

PUBLIC error_t cudaInitDevice(int device, unsigned flags, unsigned which) {
	(void)flags, (void)which;
	CALL(device_ok(device));
}

PUBLIC error_t cudaGetDevice(int *device) {
	error_t e = engine();
	if (e == SUCCESS && !device) e = INVALID_VALUE;
	if (e == SUCCESS) *device = T.device;
	return done(e ? e : pvm_sticky());
}

PUBLIC error_t cudaDeviceSynchronize(void) { CALL(pvm_synchronize(T.device)); }

static error_t reset(void) {
	error_t e = pvm_reset(T.device);
	if (e == SUCCESS) renew_managed();
	return e;
}

PUBLIC error_t cudaDeviceReset(void) { CALL(reset()); }

PUBLIC error_t cudaDeviceGetAttribute(int *value, int attribute, int device) { CALL(pvm_device_attribute(device, attribute, value)); }

PUBLIC error_t cudaDriverGetVersion(int *version) { return version ? (*version = VERSION, SUCCESS) : done(INVALID_VALUE); }
PUBLIC error_t cudaRuntimeGetVersion(int *version) { return version ? (*version = VERSION, SUCCESS) : done(INVALID_VALUE); }

enum { GONE = 0xffff };

// Fields of cudaDeviceProp that are attributes: where, in CUDA 13 and 12, and which.
static const struct { uint16_t at, at12, attribute, bytes; } fields[] = {
#define X(field, at, at12, attribute, bytes) {at, at12, attribute, bytes},
	PROPERTIES(X)
#undef X
#define X(field, at12, attribute, bytes) {GONE, at12, attribute, bytes},
	PROPERTIES_12(X)
#undef X
};

error_t properties(char *prop, int device, size_t size) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(device);
	if (e == SUCCESS && !prop) e = INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	uint64_t free, total;
	memset(prop, 0, size);
	if ((e = pvm_device_name(device, prop, 256)) || (e = pvm_memory_info(device, &free, &total))) return done(e);
	memcpy(prop + PROP_UUID, "ptxvm device", 12);
	prop[PROP_UUID + 15] = (char)device;
	memcpy(prop + PROP_GLOBAL, &total, 8);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		size_t at = size == PROP_SIZE ? fields[i].at : fields[i].at12;
		int32_t v = 0;
		if (at + fields[i].bytes > size) continue;
		if ((e = pvm_device_attribute(device, fields[i].attribute, &v))) return done(e);
		int64_t wide = v;
		memcpy(prop + at, &wide, fields[i].bytes);
	}
	return SUCCESS;
}

PUBLIC error_t cudaGetDeviceProperties(char *prop, int device) { return properties(prop, device, PROP_SIZE); }

PUBLIC error_t cudaChooseDevice(int *device, const void *prop) {
	if (!device || !prop) return done(INVALID_VALUE);
	*device = 0;
	CALL(pvm_sticky());
}

enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, LIMITS = 7 };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

PUBLIC error_t cudaDeviceGetLimit(size_t *value, int limit) {
	if (limit < 0 || limit >= LIMITS || !value) return done(INVALID_VALUE);
	*value = limits[limit];
	CALL(pvm_sticky());
}

// Stacks and the heap grow as they must; what a program asks for is what it reads back.
PUBLIC error_t cudaDeviceSetLimit(int limit, size_t value) {
	if (limit < 0 || limit >= LIMITS) return done(INVALID_VALUE);
	limits[limit] = value;
	CALL(pvm_sticky());
}

static unsigned flags;
PUBLIC error_t cudaSetDeviceFlags(unsigned f) { return f & ~0x1fu ? done(INVALID_VALUE) : (flags = f, SUCCESS); }
PUBLIC error_t cudaGetDeviceFlags(unsigned *f) { return f ? (*f = flags | 8, SUCCESS) : done(INVALID_VALUE); }

static int cache;
PUBLIC error_t cudaDeviceSetCacheConfig(int c) { return c < 0 || c > 3 ? done(INVALID_VALUE) : (cache = c, SUCCESS); }
PUBLIC error_t cudaDeviceGetCacheConfig(int *c) { return c ? (*c = cache, SUCCESS) : done(INVALID_VALUE); }

PUBLIC error_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
	if (least) *least = 0;
	if (greatest) *greatest = -5;
	CALL(pvm_sticky());
}

PUBLIC error_t cudaDeviceGetPCIBusId(char *text, int room, int device) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(device);
	if (e == SUCCESS && (!text || snprintf(text, room, "0000:%02x:00.0", device + 1) >= room)) e = INVALID_VALUE;
	return done(e);
}

PUBLIC error_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
	unsigned domain, bus, slot;
	error_t e = engine();
	if (e == SUCCESS && (!device || !text || sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3)) e = INVALID_VALUE;
	if (e == SUCCESS) e = device_ok((int)bus - 1);
	if (e == SUCCESS) *device = (int)bus - 1;
	return done(e);
}

// Devices share addresses: each reaches the memory of all.
static uint8_t peers[MAX_DEVICES][MAX_DEVICES];

PUBLIC error_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(device);
	if (e == SUCCESS) e = device_ok(peer);
	if (e == SUCCESS) *can = device != peer;
	return done(e);
}

PUBLIC error_t cudaDeviceEnablePeerAccess(int peer, unsigned f) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(peer);
	if (e == SUCCESS && (f || peer == T.device)) e = INVALID_VALUE;
	if (e == SUCCESS && peers[T.device][peer]) e = 704; // already enabled
	if (e == SUCCESS) peers[T.device][peer] = 1;
	return done(e);
}

PUBLIC error_t cudaDeviceDisablePeerAccess(int peer) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(peer);
	if (e == SUCCESS && !peers[T.device][peer]) e = 705; // not enabled
	if (e == SUCCESS) peers[T.device][peer] = 0;
	return done(e);
}

// Profilers have nothing to start.
PUBLIC error_t cudaProfilerStart(void) { return SUCCESS; }
PUBLIC error_t cudaProfilerStop(void) { return SUCCESS; }

PUBLIC error_t cudaCtxResetPersistingL2Cache(void) { CALL(pvm_sticky()); }

enum { P2P_RANK = 1, P2P_ACCESS, P2P_ATOMICS, P2P_ARRAYS, P2P_LAST = 5 };

PUBLIC error_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to) {
	error_t e = engine();
	if (e == SUCCESS) e = device_ok(from);
	if (e == SUCCESS) e = device_ok(to);
	if (e == SUCCESS && (from == to || !value || attribute < P2P_RANK || attribute > P2P_LAST)) e = INVALID_VALUE;
	if (e == SUCCESS) *value = attribute == P2P_ACCESS || attribute == P2P_ATOMICS || attribute == P2P_ARRAYS;
	return done(e);
}

struct channels { int32_t bits[4], kind; };
enum { LINE = 27 }; // the most samples of a line, as the device's attribute

PUBLIC error_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct channels *c, int device) {
	int32_t n;
	error_t e = engine();
	if (e == SUCCESS && (!width || !c || c->bits[0] <= 0)) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_device_attribute(device, LINE, &n);
	if (e == SUCCESS) *width = n;
	return done(e);
}

static int banks = 1;
PUBLIC error_t cudaDeviceSetSharedMemConfig(int c) { return c < 0 || c > 2 ? done(INVALID_VALUE) : (banks = c ? c : 1, SUCCESS); }
PUBLIC error_t cudaDeviceGetSharedMemConfig(int *c) { return c ? (*c = banks, SUCCESS) : done(INVALID_VALUE); }

// The first device of a list is the one that a thread begins with; ours are all alike.
PUBLIC error_t cudaSetValidDevices(const int *list, int n) {
	error_t e = engine();
	if (e == SUCCESS && (n < 0 || (n && !list))) e = INVALID_VALUE;
	for (int i = 0; i < n && e == SUCCESS; i++) e = device_ok(list[i]);
	if (e == SUCCESS) choose(n ? list[0] : 0);
	return done(e);
}
