// Contexts: a stack a thread, destroyed ones, the primary one; devices and functions by name.
#include "driver.h"

#include <pthread.h>

static void *elsewhere(void *c) {
	handle now = (handle)1;
	OK(cuCtxGetCurrent(&now));
	WANT(now, 0); // another thread has a stack of its own
	OK(cuCtxSetCurrent(c));
	OK(cuCtxGetCurrent(&now));
	WANT(now, c);
	return NULL;
}

int main(void) {
	handle a, b, p, now;
	int n, device = -1, active;
	unsigned flags;
	size_t bytes;
	char name[64], uuid[16];
	ptr at;

	WANT(cuCtxGetCurrent(&now), 3); // before cuInit
	WANT(cuInit(1), 1);
	OK(cuInit(0));
	OK(cuDriverGetVersion(&n));
	WANT(n, 13050);
	OK(cuDeviceGetCount(&n));
	WANT(n, 1);
	WANT(cuDeviceGet(&device, 1), 101);
	OK(cuDeviceGet(&device, 0));
	OK(cuDeviceGetName(name, sizeof name, device));
	WANT(strncmp(name, "ptxvm (sm_", 10), 0);
	OK(cuDeviceTotalMem_v2(&bytes, 0));
	WANT(bytes > 0, 1);
	OK(cuDeviceGetUuid_v2(uuid, 0));
	OK(cuDeviceGetAttribute(&n, 10, 0)); // warp
	WANT(n, 32);
	WANT(cuDeviceGetAttribute(&n, 9999, 0), 1);

	WANT(cuMemAlloc_v2(&at, 16), 201); // no context yet
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	WANT(active, 0);
	OK(cuCtxCreate_v2(&a, 0, 0));
	OK(cuCtxCreate_v2(&b, 0, 0));
	OK(cuCtxGetCurrent(&now));
	WANT(now, b);
	OK(cuMemAlloc_v2(&at, 16));
	OK(cuMemFree_v2(at));
	OK(cuCtxDestroy_v2(b)); // the top one: a is current again
	OK(cuCtxGetCurrent(&now));
	WANT(now, a);
	WANT(cuCtxSetCurrent(b), 201);
	WANT(cuCtxPushCurrent_v2(b), 201);
	WANT(cuCtxSetCurrent((handle)0x1234), 201);
	OK(cuDevicePrimaryCtxRetain(&p, 0));
	OK(cuDevicePrimaryCtxRetain(&now, 0));
	WANT(now, p);
	OK(cuCtxPushCurrent_v2(p));
	OK(cuCtxDestroy_v2(a)); // not the top one: it stays on the stack, of no use
	WANT(cuCtxDestroy_v2(p), 201);
	pthread_t thread;
	OK(pthread_create(&thread, NULL, elsewhere, p));
	OK(pthread_join(thread, NULL));
	OK(cuCtxPopCurrent_v2(&now));
	WANT(now, p);
	WANT(cuMemAlloc_v2(&at, 16), 709);
	OK(cuCtxPopCurrent_v2(&now));
	WANT(now, a);
	WANT(cuCtxPopCurrent_v2(&now), 201);
	OK(cuDevicePrimaryCtxRelease_v2(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	WANT(active, 1);
	OK(cuDevicePrimaryCtxRelease_v2(0));
	WANT(cuDevicePrimaryCtxRelease_v2(0), 201);

	// The last context of a device ends what the program has left there.
	size_t left, more;
	for (int round = 0; round < 3; round++) {
		OK(cuDevicePrimaryCtxRetain(&p, 0));
		OK(cuCtxSetCurrent(p));
		OK(cuCtxCreate_v2(&a, 0, 0));
		OK(cuMemGetInfo_v2(&left, &bytes));
		OK(cuMemAlloc_v2(&at, 1 << 20));
		OK(cuDevicePrimaryCtxRelease_v2(0));
		OK(cuMemGetInfo_v2(&more, &bytes));
		WANT(more + (1 << 20), left); // a lives, and has a current context
		OK(cuCtxDestroy_v2(a));
		OK(cuCtxPopCurrent_v2(&now));
		OK(cuDevicePrimaryCtxRetain(&p, 0));
		OK(cuCtxSetCurrent(p));
		OK(cuMemGetInfo_v2(&more, &bytes));
		WANT(more, left);
		WANT(cuMemFree_v2(at), 1);
		OK(cuDevicePrimaryCtxRelease_v2(0));
		OK(cuCtxPopCurrent_v2(&now));
	}

	// Functions by name, version and default stream.
	void *f;
	int status;
	OK(cuGetProcAddress_v2("cuMemAlloc", &f, 12000, 0, &status));
	WANT(f, (void *)cuMemAlloc_v2);
	WANT(status, 0);
	OK(cuGetProcAddress_v2("cuGetProcAddress", &f, 11080, 0, &status));
	WANT(f, (void *)cuGetProcAddress);
	OK(cuGetProcAddress_v2("cuGetProcAddress", &f, 12000, 0, &status));
	WANT(f, (void *)cuGetProcAddress_v2);
	OK(cuGetProcAddress_v2("cuLaunchKernel", &f, 12000, 1, &status));
	WANT(f, (void *)cuLaunchKernel);
	OK(cuGetProcAddress_v2("cuLaunchKernel", &f, 12000, 2, &status));
	WANT(f == (void *)cuLaunchKernel, 0); // the one for the thread's own stream
	OK(cuGetProcAddress_v2("cuLaunchKernelEx", &f, 11000, 0, &status));
	WANT(f, 0);
	WANT(status, 2); // the version is too old
	OK(cuGetProcAddress_v2("cuNothing", &f, 12000, 0, &status));
	WANT(status, 1);
	WANT(cuGetProcAddress("cuNothing", &f, 12000, 0), 500);
	WANT(cuGetProcAddress_v2("cuInit", &f, 99000, 0, &status), 1);
	passed();
}
