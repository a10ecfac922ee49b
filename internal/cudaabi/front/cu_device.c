// Devices of the driver API.
#include "cu.h"

#include <stdio.h>
#include <string.h>

error_t device_ok(int device) {
	int32_t n = 0;
	error_t e = pvm_device_count(&n);
	return e ? e : device < 0 || device >= n ? INVALID_DEVICE : SUCCESS;
}

// DEVICE begins a function that needs a device and somewhere to store.
#define DEVICE(device, out) do { \
	error_t e_ = ready(); \
	if (e_ == SUCCESS && !(out)) e_ = INVALID_VALUE; \
	if (e_ == SUCCESS) e_ = device_ok(device); \
	if (e_ != SUCCESS) return e_; \
} while (0)

PUBLIC error_t cuDeviceGet(int *out, int ordinal) {
	DEVICE(ordinal, out);
	*out = ordinal;
	return SUCCESS;
}

PUBLIC error_t cuDeviceGetCount(int *n) { READY(n ? pvm_device_count(n) : INVALID_VALUE); }

PUBLIC error_t cuDeviceGetAttribute(int *value, int attribute, int device) {
	READY(value ? pvm_device_attribute(device, attribute, value) : INVALID_VALUE);
}

PUBLIC error_t cuDeviceGetName(char *name, int room, int device) {
	READY(name && room > 0 ? pvm_device_name(device, name, room) : INVALID_VALUE);
}

static void uuid(char *out, int device) {
	memset(out, 0, 16);
	memcpy(out, "ptxvm device", 12);
	out[15] = (char)device;
}

PUBLIC error_t cuDeviceGetUuid(char *out, int device) {
	DEVICE(device, out);
	uuid(out, device);
	return SUCCESS;
}

PUBLIC error_t cuDeviceGetUuid_v2(char *out, int device) { return cuDeviceGetUuid(out, device); }

PUBLIC error_t cuDeviceTotalMem_v2(size_t *bytes, int device) {
	uint64_t free;
	DEVICE(device, bytes);
	return pvm_memory_info(device, &free, bytes);
}

PUBLIC error_t cuDeviceComputeCapability(int *major, int *minor, int device) {
	DEVICE(device, major && minor ? major : NULL);
	error_t e = pvm_device_attribute(device, 75, major);
	return e ? e : pvm_device_attribute(device, 76, minor);
}

PUBLIC error_t cuDeviceGetPCIBusId(char *text, int room, int device) {
	DEVICE(device, text);
	return snprintf(text, room, "0000:%02x:00.0", device + 1) < room ? SUCCESS : INVALID_VALUE;
}

PUBLIC error_t cuDeviceGetByPCIBusId(int *device, const char *text) {
	unsigned domain, bus, slot;
	error_t e = ready();
	if (e == SUCCESS && (!device || !text || sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3)) e = INVALID_VALUE;
	if (e == SUCCESS) e = device_ok((int)bus - 1);
	if (e == SUCCESS) *device = (int)bus - 1;
	return e;
}

// Which attributes make a CUdevprop, in its order.
static const uint8_t properties[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
_Static_assert(sizeof properties * 4 == 56, "layout");

PUBLIC error_t cuDeviceGetProperties(int32_t *out, int device) {
	DEVICE(device, out);
	for (size_t i = 0; i < sizeof properties; i++) {
		error_t e = pvm_device_attribute(device, properties[i], &out[i]);
		if (e != SUCCESS) return e;
	}
	return SUCCESS;
}

// Devices share addresses: each reaches the memory of all.
PUBLIC error_t cuDeviceCanAccessPeer(int *can, int device, int peer) {
	DEVICE(device, can);
	DEVICE(peer, can);
	*can = device != peer;
	return SUCCESS;
}

enum { P2P_RANK = 1, P2P_ACCESS = 2, P2P_ATOMICS = 3, P2P_ARRAYS = 4 };

PUBLIC error_t cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
	DEVICE(device, value);
	DEVICE(peer, value);
	if (device == peer) return INVALID_DEVICE;
	if (attribute < P2P_RANK || attribute > P2P_ARRAYS) return INVALID_VALUE;
	*value = attribute == P2P_ACCESS || attribute == P2P_ATOMICS;
	return SUCCESS;
}

static uint8_t peers[MAX_DEVICES][MAX_DEVICES];

// peer returns the device of another context and checks that it is another device.
static error_t peer(void *handle, int *device) {
	error_t e = current();
	if (e != SUCCESS) return e;
	struct context *c = handle ? context_of(handle) : NULL;
	if (!c) return INVALID_CONTEXT;
	*device = c->device;
	return *device == T.device ? INVALID_DEVICE : SUCCESS;
}

PUBLIC error_t cuCtxEnablePeerAccess(void *context, unsigned flags) {
	int other;
	error_t e = peer(context, &other);
	if (e == SUCCESS && flags) e = INVALID_VALUE;
	if (e == SUCCESS && peers[T.device][other]) e = PEER_ENABLED;
	if (e == SUCCESS) peers[T.device][other] = 1;
	return e;
}

PUBLIC error_t cuCtxDisablePeerAccess(void *context) {
	int other;
	error_t e = peer(context, &other);
	if (e == SUCCESS && !peers[T.device][other]) e = PEER_NOT_ENABLED;
	if (e == SUCCESS) peers[T.device][other] = 0;
	return e;
}
