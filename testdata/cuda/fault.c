// exit: 3
// stdout: PASSED
// stderr: P7001
// stderr: 4 bytes at
// A kernel that leaves its buffer: the error shows where the program waits, and stays.
#include "driver.h"

int main(void) {
	handle m, f;
	ptr d;
	unsigned by = 1, n = 100;
	const char *text;
	begin();
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuMemAlloc_v2(&d, 256));
	OK(cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, 0, (void *[]){&d, &by, &n}, NULL));
	WANT(cuCtxSynchronize(), 700);
	WANT(cuMemFree_v2(d), 700);
	WANT(cuMemAlloc_v2(&d, 16), 700);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&d, &by, &n}, NULL), 700);
	OK(cuGetErrorName(700, &text));
	WANT(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
	OK(cuGetErrorString(700, &text));
	WANT(strcmp(text, "an illegal memory access was encountered"), 0);
	WANT(cuGetErrorName(12345, &text), 1);
	passed();
}
