// The first way to launch: shape and parameters are set one by one.
#include "driver.h"

int cuFuncSetBlockShape(handle, int, int, int);
int cuFuncSetSharedSize(handle, unsigned);
int cuParamSetSize(handle, unsigned);
int cuParamSeti(handle, int, unsigned);
int cuParamSetf(handle, int, float);
int cuParamSetv(handle, int, void *, unsigned);
int cuLaunch(handle);
int cuLaunchGrid(handle, int, int);
int cuLaunchGridAsync(handle, int, int, handle);
int cuFuncGetParamCount(handle, size_t *);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *, handle, int, int);

int main(void) {
	handle m, f, s;
	ptr d;
	unsigned back[256];
	size_t n = 0;
	begin();
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuFuncGetParamCount(f, &n));
	WANT(n, 3);
	OK(cuMemAlloc_v2(&d, sizeof back));
	OK(cuMemsetD32_v2(d, 1, 256));
	OK(cuFuncSetBlockShape(f, 64, 1, 1));
	OK(cuFuncSetSharedSize(f, 128));
	OK(cuParamSetv(f, 0, &d, 8));
	OK(cuParamSeti(f, 8, 5));
	OK(cuParamSeti(f, 12, 256));
	WANT(cuLaunch(f), 1); // fewer bytes of parameters than the kernel has
	OK(cuParamSetSize(f, 16));
	OK(cuLaunch(f));
	OK(cuParamSeti(f, 8, 20));
	OK(cuLaunchGrid(f, 4, 1));
	OK(cuStreamCreate(&s, 0));
	OK(cuParamSetf(f, 8, 0.0f));
	OK(cuLaunchGridAsync(f, 2, 2, s));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH_v2(back, d, sizeof back));
	for (int i = 0; i < 256; i++) WANT(back[i], i < 64 ? 26 : 21);

	WANT(cuFuncSetBlockShape(f, 0, 1, 1), 1);
	WANT(cuFuncSetBlockShape((handle)1, 1, 1, 1), 400);
	WANT(cuParamSetv(f, 4090, &d, 8), 1);
	WANT(cuParamSeti(f, -4, 1), 1);
	WANT(cuParamSetSize(f, 5000), 1);
	WANT(cuLaunchGrid(f, 0, 1), 1);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&n, f, 2, 128));
	WANT(n > 0, 1);
	WANT(cuFuncGetParamCount((handle)1, &n), 400);
	passed();
	return 0;
}
