// Graphs, captures, arrays and tensor maps of the driver API.
// stderr: the box has 257 elements along dimension 1
#include "driver.h"

struct kernel { handle f; unsigned grid[3], block[3], shared; void **params, **extra; handle kernel, context; };
struct fill { ptr dst; size_t pitch; unsigned value, element; size_t width, height; };
struct array { size_t width, height; unsigned format, channels; };
struct end { size_t x, y; int type; ptr host, device; handle array; size_t pitch; };
struct copy { struct end src, dst; size_t width, height; };

int cuGraphCreate(handle *, unsigned);
int cuGraphAddMemsetNode(handle *, handle, const handle *, size_t, const struct fill *, handle);
int cuGraphAddKernelNode_v2(handle *, handle, const handle *, size_t, const struct kernel *);
int cuGraphAddKernelNode(handle *, handle, const handle *, size_t, const void *);
int cuGraphKernelNodeGetParams_v2(handle, struct kernel *);
int cuGraphInstantiateWithFlags(handle *, handle, unsigned long long);
int cuGraphLaunch(handle, handle);
int cuGraphGetNodes(handle, handle *, size_t *);
int cuGraphExecDestroy(handle);
int cuGraphDestroy(handle);
int cuStreamBeginCapture_v2(handle, int);
int cuStreamEndCapture(handle, handle *);
int cuStreamIsCapturing(handle, int *);
int cuMemsetD32Async(ptr, unsigned, size_t, handle);
int cuArrayCreate_v2(handle *, const struct array *);
int cuArrayDestroy(handle);
int cuTensorMapEncodeIm2col(void *, int, unsigned, ptr, const uint64_t *, const uint64_t *, const int *, const int *, unsigned, unsigned, const unsigned *, int, int, int, int);
int cuTensorMapEncodeIm2colWide(void *, int, unsigned, ptr, const uint64_t *, const uint64_t *, int, int, unsigned, unsigned, const unsigned *, int, int, int, int, int);
int cuTensorMapEncodeTiled(void *, int, unsigned, ptr, const uint64_t *, const uint64_t *, const unsigned *, const unsigned *, int, int, int, int);

int main(void) {
	handle context, m, f, g, x, s, fill, kernel, old;
	ptr at;
	unsigned v = 0, by = 5, one = 1, read[4] = {0};
	OK(cuInit(0));
	OK(cuCtxCreate_v2(&context, 0, 0));
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuMemAlloc_v2(&at, 4096));
	OK(cuStreamCreate(&s, 1));

	void *params[] = {&at, &by, &one};
	struct fill zero = {at, 0, 10, 4, 1, 1};
	struct kernel k = {f, {1, 1, 1}, {1, 1, 1}, 0, params, NULL, NULL, NULL}, got;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemsetNode(&fill, g, NULL, 0, &zero, context));
	OK(cuGraphAddKernelNode_v2(&kernel, g, &fill, 1, &k));
	OK(cuGraphAddKernelNode(&old, g, &kernel, 1, &k)); // of the shorter structure
	OK(cuGraphKernelNodeGetParams_v2(kernel, &got));
	WANT(got.f == f && *(unsigned *)got.params[1] == 5, 1);
	by = 99;
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(&v, at, 4));
	WANT(v, 20);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
	WANT(cuGraphDestroy(g), 1);

	int status;
	size_t n = 0;
	by = 1;
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuStreamIsCapturing(s, &status));
	WANT(status, 1);
	OK(cuMemsetD32Async(at, 7, 1, s));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphGetNodes(g, NULL, &n));
	WANT(n, 2);
	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(&v, at, 4));
	WANT(v, 8);
	WANT(cuStreamEndCapture(s, &g), 401);

	handle a;
	struct array shape = {4, 3, 3, 1}; // 4x3 samples of u32
	OK(cuArrayCreate_v2(&a, &shape));
	const unsigned row[4] = {1, 2, 3, 4};
	struct copy c = {{0, 0, 1, (ptr)(uintptr_t)row, 0, 0, 16}, {0, 2, 3, 0, 0, a, 0}, 16, 1};
	OK(cuMemcpy2D_v2(&c));
	struct copy back = {{4, 2, 3, 0, 0, a, 0}, {0, 0, 1, (ptr)(uintptr_t)read, 0, 0, 16}, 12, 1};
	OK(cuMemcpy2D_v2(&back));
	WANT(read[0] == 2 && read[2] == 4 && read[3] == 0, 1);
	c.dst.y = 3;
	WANT(cuMemcpy2D_v2(&c), 1);
	OK(cuArrayDestroy(a));
	WANT(cuArrayDestroy(a), 400);

	_Alignas(64) unsigned char map[128];
	const uint64_t dims[2] = {32, 16}, strides[1] = {128};
	const unsigned box[2] = {8, 4}, steps[2] = {1, 1}, wide[2] = {8, 257};
	OK(cuTensorMapEncodeTiled(map, 7, 2, at, dims, strides, box, steps, 0, 0, 0, 0));
	WANT(cuTensorMapEncodeTiled(map, 7, 2, at, dims, strides, wide, steps, 0, 0, 0, 0), 1);

	const uint64_t image[4] = {8, 7, 5, 4}, pitches[3] = {32, 224, 1120}; // C W H N
	const int lower[2] = {-1, -1}, upper[2] = {-1, -1}, far[2] = {-129, 0};
	const unsigned ones[4] = {1, 1, 1, 1};
	OK(cuTensorMapEncodeIm2col(map, 7, 4, at, image, pitches, lower, upper, 8, 64, ones, 0, 0, 0, 0));
	WANT(cuTensorMapEncodeIm2col(map, 7, 4, at, image, pitches, far, upper, 8, 64, ones, 0, 0, 0, 0), 1);
	WANT(cuTensorMapEncodeIm2col(map, 7, 4, at, image, pitches, lower, upper, 8, 1025, ones, 0, 0, 0, 0), 1);
	WANT(cuTensorMapEncodeIm2col(map, 7, 2, at, dims, strides, lower, upper, 8, 64, ones, 0, 0, 0, 0), 1);
	OK(cuTensorMapEncodeIm2colWide(map, 7, 4, at, image, pitches, -1, -1, 8, 64, ones, 0, 0, 3, 0, 0));
	OK(cuTensorMapEncodeIm2colWide(map, 7, 4, at, image, pitches, -129, 0, 8, 0, ones, 0, 1, 3, 0, 0));
	WANT(cuTensorMapEncodeIm2colWide(map, 7, 4, at, image, pitches, 70000, 0, 8, 64, ones, 0, 0, 3, 0, 0), 1);
	WANT(cuTensorMapEncodeIm2colWide(map, 7, 4, at, image, pitches, 0, 0, 8, 64, ones, 0, 2, 3, 0, 0), 1);
	passed();
}
