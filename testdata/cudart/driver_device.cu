// Devices, contexts and memory pools of the driver API: what is asked, and what is set and read again.
// flags: -lcuda -Xcompiler -Wno-deprecated-declarations
// env: PTXVM_DEVICES=2
#include "driver.h"
#include <cstring>

// Names that the header gives to newer functions.
extern "C" {
CUresult uuid1(CUuuid *, CUdevice) __asm__("cuDeviceGetUuid");
CUresult create2(CUcontext *, unsigned, CUdevice) __asm__("cuCtxCreate_v2");
CUresult create3(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice) __asm__("cuCtxCreate_v3");
CUresult release1(CUdevice) __asm__("cuDevicePrimaryCtxRelease");
CUresult reset1(CUdevice) __asm__("cuDevicePrimaryCtxReset");
CUresult flags1(CUdevice, unsigned) __asm__("cuDevicePrimaryCtxSetFlags");
CUresult synchronize2(CUcontext) __asm__("cuCtxSynchronize_v2");
CUresult device2(CUdevice *, CUcontext) __asm__("cuCtxGetDevice_v2");
}

static void devices() {
  int n, major, minor, x, y;
  DO(cuDeviceGetCount(&n));
  EXPECT(n == 2);
  DO(cuDeviceComputeCapability(&major, &minor, 1));
  DO(cuDeviceGetAttribute(&x, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1));
  DO(cuDeviceGetAttribute(&y, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 1));
  EXPECT(major == x && minor == y && major >= 7);
  char bus[2][32];
  CUuuid id[2];
  for (int d = 0; d < 2; d++) {
    CUdevice found;
    DO(cuDeviceGetPCIBusId(bus[d], sizeof bus[d], d));
    DO(cuDeviceGetByPCIBusId(&found, bus[d]));
    EXPECT(found == d);
    DO(uuid1(&id[d], d));
    DO(cuDeviceGetUuid(&id[0], 0));
  }
  EXPECT(strcmp(bus[0], bus[1]) != 0 && memcmp(&id[0], &id[1], sizeof id[0]) != 0);
  WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(bus[0], 3, 0));
  CUdevice none;
  WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&none, "0000:7f:00.0"));
  CUdevprop p;
  DO(cuDeviceGetProperties(&p, 0));
  DO(cuDeviceGetAttribute(&x, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0));
  EXPECT(p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[0] == 1024 && p.maxGridSize[1] == 65535 && p.SIMDWidth == 32 && p.clockRate == x);
  EXPECT(p.sharedMemPerBlock == 48 << 10 && p.totalConstantMemory == 64 << 10 && p.regsPerBlock == 65536);
  DO(cuDeviceCanAccessPeer(&x, 0, 1));
  DO(cuDeviceCanAccessPeer(&y, 1, 1));
  EXPECT(x == 1 && y == 0);
  DO(cuDeviceGetP2PAttribute(&x, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  EXPECT(x == 1);
  WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAttribute(&x, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceComputeCapability(&major, &minor, 2));
}

static void contexts() {
  CUcontext a, b, c, now;
  CUdevice d;
  unsigned flags;
  unsigned long long ida, idb;
  DO(create2(&a, CU_CTX_SCHED_YIELD, 0));
  DO(create3(&b, nullptr, 0, 0, 1));
  DO(cuCtxCreate(&c, nullptr, CU_CTX_SCHED_SPIN, 1));
  DO(cuCtxGetFlags(&flags));
  EXPECT((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_SPIN);
  DO(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
  DO(cuCtxGetFlags(&flags));
  EXPECT((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
  DO(cuCtxGetId(a, &ida));
  DO(cuCtxGetId(b, &idb));
  EXPECT(ida != idb);
  DO(device2(&d, a));
  EXPECT(d == 0);
  DO(device2(&d, nullptr));
  EXPECT(d == 1);
  unsigned version;
  DO(cuCtxGetApiVersion(a, &version));
  EXPECT(version >= 3020);
  DO(synchronize2(a));
  WANT(CUDA_ERROR_INVALID_CONTEXT, synchronize2(CUcontext(0x1230)));
  int least, greatest;
  DO(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0);

  // Peers.
  DO(cuCtxSetCurrent(a));
  DO(cuCtxEnablePeerAccess(b, 0));
  WANT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(b, 0));
  WANT(CUDA_ERROR_INVALID_DEVICE, cuCtxEnablePeerAccess(a, 0));
  DO(cuCtxDisablePeerAccess(b));
  WANT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(b));

  // What is set is what is read.
  size_t limit;
  DO(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT(limit >= 8 << 20);
  DO(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  DO(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  EXPECT(limit == 4096);
  WANT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(CUlimit(99), 1));
  CUfunc_cache cache;
  DO(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  DO(cuCtxGetCacheConfig(&cache));
  EXPECT(cache == CU_FUNC_CACHE_PREFER_L1);
  WANT(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(CUfunc_cache(9)));
  CUsharedconfig banks;
  DO(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  DO(cuCtxGetSharedMemConfig(&banks));
  EXPECT(banks == CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE || banks == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  DO(cuCtxResetPersistingL2Cache());

  DO(cuCtxAttach(&now, 0));
  EXPECT(now == a);
  DO(cuCtxDetach(a)); // one use less: it lives
  DO(cuCtxGetCurrent(&now));
  EXPECT(now == a);
  DO(cuCtxDestroy(a));
  DO(cuCtxDestroy(b));
  DO(cuCtxDestroy(c));
  WANT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxDestroy(c));
}

static void primary() {
  CUcontext c;
  unsigned flags;
  int active;
  DO(flags1(1, CU_CTX_SCHED_YIELD));
  DO(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD && !active);
  DO(cuDevicePrimaryCtxSetFlags(1, CU_CTX_SCHED_SPIN));
  DO(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_SPIN && !active);
  DO(cuDevicePrimaryCtxRetain(&c, 1));
  DO(release1(1));
  WANT(CUDA_ERROR_INVALID_CONTEXT, release1(1));
  DO(cuDevicePrimaryCtxRetain(&c, 1));
  DO(reset1(1));
  DO(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT(!active);
  WANT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(1));
  DO(cuDevicePrimaryCtxRetain(&c, 1));
  DO(cuDevicePrimaryCtxReset(1));
}

// A pool of each kind gives memory of that kind; attributes say how much is in use, now and at most.
static void pools() {
  CUmemoryPool first, own, now;
  DO(cuDeviceGetDefaultMemPool(&first, 0));
  DO(cuDeviceGetMemPool(&now, 0));
  EXPECT(now == first);
  CUmemPoolProps how = {};
  how.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, how.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  DO(cuMemPoolCreate(&own, &how));
  DO(cuDeviceSetMemPool(0, own));
  DO(cuDeviceGetMemPool(&now, 0));
  EXPECT(now == own);

  cuuint64_t keep = 1 << 20, used, high;
  DO(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
  keep = 0;
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
  EXPECT(keep == 1 << 20);
  int reuse = 0;
  DO(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &reuse));
  reuse = 5;
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &reuse));
  EXPECT(reuse == 0);
  CUdeviceptr a, b, other;
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used == 0);
  DO(cuMemAlloc(&other, 1 << 20)); // of no pool
  DO(cuMemAllocFromPoolAsync(&a, 3 << 20, own, 0));
  DO(cuMemAllocAsync(&b, 2 << 20, 0)); // from the device's, which is this one
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used == 5 << 20);
  CUmemoryPool of;
  DO(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, b));
  EXPECT(of == own);
  DO(cuMemFreeAsync(a, 0));
  DO(cuStreamSynchronize(0));
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
  EXPECT(used == 2 << 20 && high == 5 << 20);
  high = 0;
  DO(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
  EXPECT(high == 2 << 20);
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &high));
  DO(cuMemFree(b));
  DO(cuMemPoolTrimTo(own, 0));
  DO(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &used));
  EXPECT(used == 0);
  DO(cuMemFree(other));

  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemAccess_flags may;
  DO(cuMemPoolSetAccess(own, &access, 1));
  DO(cuMemPoolGetAccess(&may, own, &access.location));
  EXPECT(may == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  DO(cuMemPoolDestroy(own));
  DO(cuDeviceGetMemPool(&now, 0));
  EXPECT(now == first);
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(first));

  // Of the host.
  CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
  DO(cuMemGetDefaultMemPool(&first, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
  how.location = host;
  DO(cuMemPoolCreate(&own, &how));
  DO(cuMemSetMemPool(&host, CU_MEM_ALLOCATION_TYPE_PINNED, own));
  DO(cuMemGetMemPool(&now, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT(now == own && now != first);
  DO(cuMemAllocFromPoolAsync(&a, 4096, own, 0));
  memset((void *)a, 7, 4096); // the program's own
  CUmemorytype type;
  DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
  EXPECT(type == CU_MEMORYTYPE_HOST);
  DO(cuMemFreeAsync(a, 0));
  DO(cuMemPoolDestroy(own));
  DO(cuMemGetMemPool(&now, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT(now == first);
}

int main() {
  DO(cuInit(0));
  devices();
  contexts();
  primary();
  begin();
  pools();
  DO(cuDevicePrimaryCtxReset(0));
  printf("PASSED\n");
}
