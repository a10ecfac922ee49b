// Launches: parameters both ways, shapes, streams, events, host functions, occupancy.
// stderr: a launch of add is refused: 204800 bytes of dynamic shared memory, and it may have 49152 (cudaFuncAttributeMaxDynamicSharedMemorySize)
#include "driver.h"

static int order[3], done;
static void note(void *i) { order[done++] = (int)(intptr_t)i; }
static void old(handle s, int error, void *i) { (void)s; note((void *)((intptr_t)i + 100 * error)); }
static size_t dynamic(int threads) { return threads * 1024; }

static void check(ptr d, unsigned want) {
	unsigned back[1000];
	OK(cuMemcpyDtoH_v2(back, d, sizeof back));
	for (int i = 0; i < 1000; i++) WANT(back[i], want);
}

int main(void) {
	handle m, f, s, t, e[2];
	ptr d;
	unsigned by = 5, n = 1000;
	int blocks, threads;
	float ms = 0;
	begin();
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuMemAlloc_v2(&d, n * 4));
	OK(cuMemsetD32_v2(d, 1, n));
	OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, (void *[]){&d, &by, &n}, NULL));
	by = 99; // arguments are copied
	check(d, 6);
	struct { ptr d; unsigned by, n; } block = {d, 10, 1000};
	size_t size = sizeof block;
	void *extra[] = {(void *)1, &block, (void *)2, &size, NULL};
	OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, NULL, extra));
	check(d, 16);
	WANT(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, (void *[]){&d, &by, &n}, extra), 1);
	size = 8; // too small
	WANT(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, NULL, extra), 1);
	WANT(cuLaunchKernel(f, 0, 1, 1, 128, 1, 1, 0, 0, (void *[]){&d, &by, &n}, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, 0, (void *[]){&d, &by, &n}, NULL), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 200 << 10, 0, (void *[]){&d, &by, &n}, NULL), 1);
	OK(cuFuncSetAttribute(f, 8, 200 << 10));
	by = 1, n = 32;
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 200 << 10, 0, (void *[]){&d, &by, &n}, NULL));
	WANT(cuLaunchKernel((handle)0x77, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL), 400);
	WANT(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL), 1);

	// A configuration, with an attribute that makes clusters of two.
	struct { int id, pad; unsigned value[16]; } cluster = {4, 0, {2, 1, 1}};
	struct { unsigned grid[3], block[3], shared, pad; handle stream; void *attributes; unsigned n; } config = {{8, 1, 1}, {128, 1, 1}, 0, 0, NULL, &cluster, 1};
	n = 1000, by = 4;
	OK(cuMemsetD32_v2(d, 0, n));
	OK(cuLaunchKernelEx(&config, f, (void *[]){&d, &by, &n}, NULL));
	check(d, 4);

	// Two streams, the second behind an event of the first; host functions in order.
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamCreate(&t, 1));
	OK(cuEventCreate(&e[0], 0));
	OK(cuEventCreate(&e[1], 0));
	WANT(cuEventElapsedTime(&ms, e[0], e[1]), 400); // never recorded
	OK(cuEventRecord(e[0], s));
	for (int i = 0; i < 10; i++) OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, s, (void *[]){&d, &by, &n}, NULL));
	OK(cuLaunchHostFunc(s, note, (void *)1));
	OK(cuStreamAddCallback(s, old, (void *)2, 0));
	OK(cuEventRecord(e[1], s));
	OK(cuStreamWaitEvent(t, e[1], 0));
	OK(cuLaunchHostFunc(t, note, (void *)3));
	OK(cuStreamSynchronize(t));
	WANT(done, 3);
	for (int i = 0; i < 3; i++) WANT(order[i], i + 1);
	OK(cuEventSynchronize(e[1]));
	OK(cuEventElapsedTime(&ms, e[0], e[1]));
	WANT(ms > 0, 1);
	OK(cuStreamQuery(s));
	check(d, 44);
	OK(cuStreamDestroy_v2(s));
	WANT(cuStreamSynchronize(s), 400);
	OK(cuEventDestroy_v2(e[0]));
	WANT(cuEventRecord(e[0], 0), 400);

	// 64 warps of a multiprocessor; 32 registers a thread allow them all. With 1 KB a thread, shared memory decides.
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
	WANT(blocks, 8);
	OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, f, NULL, 0, 0));
	WANT(threads, 1024);
	OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, f, dynamic, 0, 0));
	WANT(threads > 0 && threads <= 226 && threads % 32 == 0, 1);
	passed();
}
