// What these programs declare of the driver API themselves: they are built with gcc alone, without NVIDIA's headers.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t ptr;
typedef void *handle;
int cuInit(unsigned);
int cuDriverGetVersion(int *);
int cuGetProcAddress(const char *, void **, int, uint64_t);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int cuGetErrorName(int, const char **);
int cuGetErrorString(int, const char **);
int cuGetExportTable(const void **, const void *);
int cuDeviceGet(int *, int);
int cuDeviceGetCount(int *);
int cuDeviceGetAttribute(int *, int, int);
int cuDeviceGetName(char *, int, int);
int cuDeviceTotalMem_v2(size_t *, int);
int cuDeviceGetUuid_v2(char *, int);
int cuDevicePrimaryCtxRetain(handle *, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuDevicePrimaryCtxGetState(int, unsigned *, int *);
int cuCtxCreate_v2(handle *, unsigned, int);
int cuCtxDestroy_v2(handle);
int cuCtxSetCurrent(handle);
int cuCtxGetCurrent(handle *);
int cuCtxPushCurrent_v2(handle);
int cuCtxPopCurrent_v2(handle *);
int cuCtxGetDevice(int *);
int cuCtxSynchronize(void);
int cuModuleLoadData(handle *, const void *);
int cuModuleLoadDataEx(handle *, const void *, unsigned, int *, void **);
int cuModuleGetFunction(handle *, handle, const char *);
int cuModuleGetGlobal_v2(ptr *, size_t *, handle, const char *);
int cuModuleGetFunctionCount(unsigned *, handle);
int cuModuleUnload(handle);
int cuLibraryLoadData(handle *, const void *, int *, void **, unsigned, int *, void **, unsigned);
int cuLibraryGetKernel(handle *, handle, const char *);
int cuLibraryUnload(handle);
int cuKernelGetFunction(handle *, handle);
int cuKernelGetLibrary(handle *, handle);
int cuFuncGetModule(handle *, handle);
int cuFuncGetName(const char **, handle);
int cuFuncGetParamInfo(handle, size_t, size_t *, size_t *);
int cuFuncSetAttribute(handle, int, int);
int cuFuncGetAttribute(int *, int, handle);
int cuLinkCreate_v2(unsigned, int *, void **, handle *);
int cuLinkAddData_v2(handle, int, const void *, size_t, const char *, unsigned, int *, void **);
int cuLinkComplete(handle, void **, size_t *);
int cuLinkDestroy(handle);
int cuMemAlloc_v2(ptr *, size_t);
int cuMemFree_v2(ptr);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemFreeHost(void *);
int cuMemAllocManaged(ptr *, size_t, unsigned);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuMemGetAddressRange_v2(ptr *, size_t *, ptr);
int cuMemAllocAsync(ptr *, size_t, handle);
int cuMemFreeAsync(ptr, handle);
int cuMemcpyHtoD_v2(ptr, const void *, size_t);
int cuMemcpyDtoH_v2(void *, ptr, size_t);
int cuMemcpyDtoD_v2(ptr, ptr, size_t);
int cuMemcpyHtoDAsync_v2(ptr, const void *, size_t, handle);
int cuMemcpyDtoHAsync_v2(void *, ptr, size_t, handle);
int cuMemcpy2D_v2(const void *);
int cuMemsetD8_v2(ptr, unsigned char, size_t);
int cuMemsetD16_v2(ptr, unsigned short, size_t);
int cuMemsetD32_v2(ptr, unsigned, size_t);
int cuMemsetD2D32_v2(ptr, size_t, unsigned, size_t, size_t);
int cuPointerGetAttribute(void *, int, ptr);
int cuPointerGetAttributes(unsigned, const int *, void **, ptr);
int cuStreamCreate(handle *, unsigned);
int cuStreamDestroy_v2(handle);
int cuStreamSynchronize(handle);
int cuStreamQuery(handle);
int cuStreamWaitEvent(handle, handle, unsigned);
int cuStreamAddCallback(handle, void (*)(handle, int, void *), void *, unsigned);
int cuLaunchHostFunc(handle, void (*)(void *), void *);
int cuEventCreate(handle *, unsigned);
int cuEventDestroy_v2(handle);
int cuEventRecord(handle, handle);
int cuEventSynchronize(handle);
int cuEventElapsedTime(float *, handle, handle);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **);
int cuLaunchKernelEx(const void *, handle, void **, void **);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, handle, int, size_t);
int cuOccupancyMaxPotentialBlockSize(int *, int *, handle, size_t (*)(int), size_t, int);
int cuIpcGetMemHandle(handle *, ptr);

// WANT stops the program unless two numbers are equal.
#define WANT(got, want) do { \
	long long g_ = (long long)(got), w_ = (long long)(want); \
	if (g_ != w_) { printf("%s:%d: %s is %lld, want %lld\n", __FILE__, __LINE__, #got, g_, w_); exit(1); } \
} while (0)
#define OK(call) WANT(call, 0)

// add adds by to each of n words; total is a variable.
static const char kernels[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".visible .global .align 4 .u32 total = 7;\n"
	".visible .entry add(.param .u64 at, .param .u32 by, .param .u32 n)\n{\n"
	".reg .b64 %a, %o; .reg .b32 %i, %b, %n, %c, %v; .reg .pred %p;\n"
	"ld.param.u64 %a, [at]; ld.param.u32 %b, [by]; ld.param.u32 %n, [n];\n"
	"mov.u32 %i, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %c, %v;\n"
	"setp.ge.u32 %p, %i, %n; @%p ret;\n"
	"mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;\n"
	"ld.global.u32 %v, [%a]; add.u32 %v, %v, %b; st.global.u32 [%a], %v; ret;\n}\n"
	".visible .entry other() { ret; }\n";

// begin makes the primary context of device 0 current.
static inline handle begin(void) {
	handle c;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&c, 0));
	OK(cuCtxSetCurrent(c));
	return c;
}

static inline void passed(void) { puts("PASSED"); }
