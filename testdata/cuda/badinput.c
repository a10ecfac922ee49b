// stderr: it is cut off
// What a program may get wrong is an error code, never a crash, and leaks nothing.
#include "driver.h"

// image is a fat binary with one entry.
struct image {
	uint32_t magic; uint16_t version, header; uint64_t size;
	uint16_t kind, one; uint32_t entry_header; uint64_t payload; uint32_t compressed, zero; uint16_t minor, major; uint32_t arch;
	uint64_t pad, flags, pad2, whole;
	char bytes[1024];
};

enum { LZ4 = 0x2000, ZSTD = 0x8000 };

static struct image fatbin(const void *text, size_t n, uint64_t flags, uint64_t whole) {
	struct image f = {0xba55ed50, 1, 16, 64 + 1024, 1, 0x101, 64, 1024, flags ? (uint32_t)n : 0, 0, 0, 8, 75, 0, flags, 0, whole, {0}};
	memcpy(f.bytes, text, n);
	return f;
}

// loads is how many images of broken bytes are taken.
static int loads(const struct image *f) {
	handle m = 0;
	int e = cuModuleLoadData(&m, f);
	if (e == 0) cuModuleUnload(m);
	return e;
}

static void modules(void) {
	handle m, f;
	ptr at;
	size_t n;
	char log[256] = "";
	WANT(cuModuleLoadData(&m, NULL), 1);
	WANT(cuModuleLoadData(NULL, kernels), 1);
	WANT(cuModuleLoadData(&m, ""), 200);
	WANT(cuModuleLoadData(&m, "not PTX"), 218);
	WANT(cuModuleLoadDataEx(&m, ".version 8.0\n.target sm_75\n.entry k() { add.s23 a, b, c; }", 2, (int[]){5, 6}, (void *[]){log, (void *)sizeof log}), 218);
	WANT(strstr(log, "add.s23") != NULL, 1);
	OK(cuModuleLoadData(&m, kernels));
	WANT(cuModuleGetFunction(&f, m, "missing"), 500);
	WANT(cuModuleGetFunction(&f, m, NULL), 1);
	WANT(cuModuleGetFunction(NULL, m, "add"), 1);
	WANT(cuModuleGetGlobal_v2(&at, &n, m, "missing"), 500);
	WANT(cuModuleGetFunction(&f, (handle)0x123, "add"), 400);
	OK(cuModuleUnload(m));
	WANT(cuModuleUnload(m), 400);
	WANT(cuModuleGetFunction(&f, m, "add"), 400);

	struct image good = fatbin(kernels, sizeof kernels, 0, sizeof kernels), bad;
	OK(loads(&good));
	bad = good, bad.magic ^= 1;
	WANT(loads(&bad) != 0, 1);
	bad = good, bad.size = ~(uint64_t)0;
	WANT(loads(&bad), 200);
	bad = good, bad.size = 8; // truncated in the first entry
	WANT(loads(&bad), 200);
	bad = good, bad.payload = ~(uint64_t)0 - 63;
	WANT(loads(&bad), 200);
	bad = good, bad.entry_header = 0;
	WANT(loads(&bad), 200);
	bad = fatbin("\x1f", 1, LZ4, (uint64_t)1 << 40); // a terabyte of what one byte says
	WANT(loads(&bad), 200);
	bad = fatbin("\x1f" "a\x01\x00\xff\xff\xff\xff", 8, LZ4, 1 << 20); // ends in the middle of a length
	WANT(loads(&bad), 200);
	bad = fatbin("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f\x03\x00\x00", 16, ZSTD, 1 << 20); // says that it is 8 EiB
	WANT(loads(&bad), 200);
	bad = fatbin("zstd no more", 12, ZSTD, 100);
	WANT(loads(&bad), 200);
	bad = fatbin("\177ELF", 4, 0, 4), bad.kind = 2; // machine code alone
	WANT(loads(&bad) != 0, 1);
	for (int i = 0; i < 2000; i++) { // any bit of the headers
		bad = good;
		((unsigned char *)&bad)[(i * 7919u) % 80] ^= 1 << (i % 8);
		if (bad.size != good.size && bad.size <= sizeof bad) continue; // shorter: read further than it says otherwise
		if (bad.size > 1 << 20 && bad.size < (uint64_t)1 << 34) continue; // the program answers for that much memory
		loads(&bad);
	}
}

static void memory(void) {
	ptr d, far = 0x1234;
	char host[64];
	void *pinned;
	WANT(cuMemAlloc_v2(NULL, 16), 1);
	WANT(cuMemAlloc_v2(&d, 0), 1);
	WANT(cuMemAlloc_v2(&d, (size_t)1 << 45), 2);
	WANT(cuMemAlloc_v2(&d, ~(size_t)0), 2);
	OK(cuMemAlloc_v2(&d, 64));
	WANT(cuMemcpyHtoD_v2(d, NULL, 16), 1);
	WANT(cuMemcpyHtoD_v2(0, host, 16), 1);
	WANT(cuMemcpyHtoD_v2(far, host, 16), 1);
	WANT(cuMemcpyHtoD_v2(d, host, 65), 1);
	WANT(cuMemcpyHtoD_v2(d + 1, host, 64), 1);
	WANT(cuMemcpyHtoD_v2(d, host, ~(size_t)0), 1);
	WANT(cuMemcpyDtoH_v2(host, d, 65), 1);
	WANT(cuMemcpyDtoD_v2(d, far, 4), 1);
	WANT(cuMemsetD8_v2(d, 1, 65), 1);
	WANT(cuMemsetD32_v2(d + 1, 1, 1), 1);
	WANT(cuMemsetD32_v2(d, 1, ~(size_t)0 / 2), 1);
	WANT(cuMemFree_v2(d + 16), 1);
	WANT(cuMemFreeHost((void *)d), 1);
	WANT(cuMemFree_v2(far), 1);
	OK(cuMemFree_v2(d));
	WANT(cuMemFree_v2(d), 1);
	WANT(cuMemcpyHtoD_v2(d, host, 16), 1);
	WANT(cuMemcpyDtoH_v2(host, d, 16), 1);
	WANT(cuMemsetD8_v2(d, 1, 1), 1);
	OK(cuMemHostAlloc(&pinned, 64, 0));
	WANT(cuMemFree_v2((ptr)pinned), 1);
	OK(cuMemFreeHost(pinned));
	WANT(cuMemFreeHost(pinned), 1);
	WANT(cuMemHostAlloc(NULL, 64, 0), 1);
	WANT(cuPointerGetAttribute(NULL, 2, d), 1);
	WANT(cuPointerGetAttribute(host, 999, d), 1);
}

static void launches(void) {
	handle m, f, s, e, none;
	ptr d = 0;
	unsigned by = 1, n = 0;
	void *args[] = {&d, &by, &n}, *hole[] = {&d, NULL, &n};
	float ms;
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuStreamCreate(&s, 0));
	OK(cuEventCreate(&e, 0));
	WANT(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 512, 512, 1, 0, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 20, s, args, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, hole, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, args), 1);
	WANT(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, s, args, NULL), 400);
	WANT(cuLaunchKernel(s, 1, 1, 1, 1, 1, 1, 0, s, args, NULL), 400); // a stream is no kernel
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, e, args, NULL), 400); // nor an event a stream
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL));
	WANT(cuEventElapsedTime(&ms, e, e), 400); // never recorded
	WANT(cuEventRecord(s, s), 400);
	WANT(cuStreamWaitEvent(s, s, 0), 400);
	WANT(cuLaunchHostFunc(s, NULL, NULL), 1);
	WANT(cuStreamCreate(NULL, 0), 1);
	WANT(cuStreamCreate(&none, 77), 1);
	OK(cuStreamDestroy_v2(s));
	WANT(cuStreamDestroy_v2(s), 400);
	WANT(cuStreamSynchronize(s), 400);
	WANT(cuStreamQuery(s), 400);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL), 400);
	OK(cuEventDestroy_v2(e));
	WANT(cuEventDestroy_v2(e), 400);
	WANT(cuEventSynchronize(e), 400);
	WANT(cuEventRecord(e, 0), 400);
	OK(cuModuleUnload(m));
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), 400);
	WANT(cuFuncGetAttribute(NULL, 0, f), 1);
}

int main(void) {
	size_t before, after, all;
	ptr d;
	int n;
	WANT(cuMemAlloc_v2(&d, 16), 3);
	WANT(cuInit(1), 1);
	OK(cuInit(0));
	WANT(cuMemAlloc_v2(&d, 16), 201); // no context
	WANT(cuDeviceGet(&n, 64), 101);
	WANT(cuDeviceGet(NULL, 0), 1);
	begin();
	for (int i = 0; i < 3; i++) {
		modules(), memory(), launches();
		OK(cuCtxSynchronize());
		if (i == 0) OK(cuMemGetInfo_v2(&before, &all)); // launches keep room for their parameters
	}
	OK(cuMemGetInfo_v2(&after, &all));
	WANT(after, before);
	passed();
}
