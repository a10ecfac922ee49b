// Modules, libraries, kernels and the linker of the driver API; launches, occupancy.
// flags: -lcuda -Xcompiler -Wno-deprecated-declarations
#include "driver.h"
#include <cstring>
#include <string>
#include <unistd.h>

static const char *const text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 total = 7;
.visible .global .align 8 .b8 shared_with_host[16] = {1, 2, 3};
.visible .entry add(.param .u64 at, .param .u32 by)
{
	.reg .b64 %a, %o; .reg .b32 %i, %b, %n, %v;
	ld.param.u64 %a, [at]; ld.param.u32 %b, [by];
	mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %n, %v;
	mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;
	ld.global.u32 %v, [%a]; add.u32 %v, %v, %b; st.global.u32 [%a], %v; ret;
}
.visible .entry nothing() { ret; }
)";
static const char *const calls = ".version 8.0\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) three();\n"
  ".visible .entry put(.param .u64 at) { .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [at];\n"
  "{ .param .b32 r; call (r), three, (); ld.param.b32 %v, [r]; } st.global.u32 [%a], %v; ret; }\n";
static const char *const called = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .func (.param .b32 r) three() { .reg .b32 %v; mov.u32 %v, 3; st.param.b32 [r], %v; ret; }\n";

static std::string file(const char *content) {
  char name[] = "/tmp/driver_module.XXXXXX";
  int f = mkstemp(name);
  EXPECT(f >= 0 && write(f, content, strlen(content)) == ssize_t(strlen(content)));
  close(f);
  return name;
}

static unsigned word(CUdeviceptr p) {
  unsigned v;
  DO(cuMemcpyDtoH(&v, p, 4));
  return v;
}

static void modules() {
  CUmodule m, same;
  CUfunction f, g, list[2];
  CUmoduleLoadingMode mode;
  unsigned n;
  std::string path = file(text);
  DO(cuModuleLoad(&m, path.c_str()));
  WANT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&same, "/nowhere.ptx"));
  DO(cuModuleGetFunctionCount(&n, m));
  EXPECT(n == 2);
  DO(cuModuleEnumerateFunctions(list, 2, m));
  DO(cuModuleGetFunction(&f, m, "add"));
  DO(cuModuleGetFunction(&g, m, "nothing"));
  EXPECT((list[0] == f && list[1] == g) || (list[0] == g && list[1] == f));
  DO(cuModuleGetLoadingMode(&mode));
  EXPECT(mode == CU_MODULE_LAZY_LOADING || mode == CU_MODULE_EAGER_LOADING);
  DO(cuFuncLoad(f));
  CUfunctionLoadingState state;
  DO(cuFuncIsLoaded(&state, f));
  EXPECT(state == CU_FUNCTION_LOADING_STATE_LOADED);
  int v;
  DO(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_SHARED));
  WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetCacheConfig(f, CUfunc_cache(7)));
  DO(cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
  DO(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  EXPECT(v == 1024);
  DO(cuModuleUnload(m));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, m, "add"));
  unlink(path.c_str());

  // An image as nvcc stores it: here PTX itself.
  DO(cuModuleLoadFatBinary(&m, text));
  DO(cuModuleGetFunction(&f, m, "add"));
  DO(cuModuleUnload(m));
  WANT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadFatBinary(&m, ""));
}

static void libraries() {
  CUlibrary l, of;
  CUkernel k, list[2];
  CUfunction f;
  CUmodule m;
  CUdeviceptr p;
  const char *name;
  unsigned n;
  size_t size, offset, count;
  int v;
  std::string path = file(text);
  DO(cuLibraryLoadFromFile(&l, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  WANT(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&of, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0));
  unlink(path.c_str());
  DO(cuLibraryGetKernelCount(&n, l));
  EXPECT(n == 2);
  DO(cuLibraryEnumerateKernels(list, 2, l));
  DO(cuLibraryGetKernel(&k, l, "add"));
  EXPECT(list[0] == k || list[1] == k);
  DO(cuKernelGetName(&name, k));
  EXPECT(!strcmp(name, "add"));
  DO(cuKernelGetLibrary(&of, k));
  EXPECT(of == l);
  DO(cuKernelGetParamCount(k, &count));
  EXPECT(count == 2);
  DO(cuKernelGetParamInfo(k, 1, &offset, &size));
  EXPECT(offset == 8 && size == 4);
  WANT(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(k, 2, &offset, &size));
  DO(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, k, 0));
  DO(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, 0));
  EXPECT(v == 60000);
  WANT(CUDA_ERROR_INVALID_VALUE, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30, k, 0));
  DO(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0));
  WANT(CUDA_ERROR_INVALID_VALUE, cuKernelSetCacheConfig(k, CUfunc_cache(-1), 0));
  DO(cuLibraryGetGlobal(&p, &size, l, "total"));
  EXPECT(size == 4 && word(p) == 7);
  WANT(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&p, &size, l, "total"));
  DO(cuLibraryGetModule(&m, l));
  CUdeviceptr q;
  DO(cuModuleGetGlobal(&q, &size, m, "total"));
  DO(cuLibraryGetGlobal(&p, &size, l, "total"));
  EXPECT(p == q);

  // Kernels launch like functions, also as those of a cooperative grid.
  unsigned by = 5;
  void *arguments[] = {&p, &by};
  DO(cuKernelGetFunction(&f, k));
  DO(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, arguments));
  EXPECT(word(p) == 12);
  DO(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, arguments, nullptr));
  EXPECT(word(p) == 17);
  WANT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 1024, 1, 1, 0, 0, arguments));

  // An event that a launch's attribute names comes behind the kernel.
  CUstream s;
  CUevent done[2];
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CUlaunchAttribute with[2] = {};
  for (int i = 0; i < 2; i++) DO(cuEventCreate(&done[i], CU_EVENT_DISABLE_TIMING));
  with[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, with[0].value.programmaticEvent.event = done[0];
  with[1].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, with[1].value.launchCompletionEvent.event = done[1];
  CUlaunchConfig c = {1, 1, 1, 1, 1, 1, 0, s, with, 2};
  for (int i = 0; i < 50; i++) {
    DO(cuLaunchKernelEx(&c, f, arguments, nullptr));
    DO(cuEventSynchronize(done[i & 1]));
    CUstream other;
    unsigned now;
    DO(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    DO(cuStreamWaitEvent(other, done[1 - (i & 1)], 0));
    DO(cuMemcpyDtoHAsync(&now, p, 4, other));
    DO(cuStreamSynchronize(other));
    DO(cuStreamDestroy(other));
    EXPECT(now == 22 + 5u * i);
  }
  DO(cuStreamDestroy(s));
  for (int i = 0; i < 2; i++) DO(cuEventDestroy(done[i]));

  // How many fit.
  int grid, block, blocks, clusters, most;
  DO(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, nullptr, 0, 0, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
  EXPECT(block >= 512 && grid >= 1);
  DO(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 1024, 0, CU_OCCUPANCY_DEFAULT));
  EXPECT(blocks == 2);
  WANT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 1024, 0, 6));
  CUlaunchAttribute pair[1] = {};
  pair[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, pair[0].value.clusterDim.x = 2, pair[0].value.clusterDim.y = pair[0].value.clusterDim.z = 1;
  CUlaunchConfig of2 = {64, 1, 1, 128, 1, 1, 0, 0, pair, 1};
  DO(cuOccupancyMaxActiveClusters(&clusters, f, &of2));
  DO(cuOccupancyMaxPotentialClusterSize(&most, f, &of2));
  EXPECT(clusters >= 1 && most == 8);
  DO(cuLibraryUnload(l));
}

static void linker() {
  CUlinkState s;
  CUmodule m;
  CUfunction f;
  CUdeviceptr p;
  void *image;
  size_t size;
  std::string path = file(called);
  DO(cuLinkCreate(0, nullptr, nullptr, &s));
  DO(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)calls, strlen(calls) + 1, "calls", 0, nullptr, nullptr));
  DO(cuLinkAddFile(s, CU_JIT_INPUT_PTX, path.c_str(), 0, nullptr, nullptr));
  WANT(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/nowhere", 0, nullptr, nullptr));
  DO(cuLinkComplete(s, &image, &size));
  DO(cuModuleLoadData(&m, image));
  DO(cuLinkDestroy(s));
  unlink(path.c_str());
  DO(cuModuleGetFunction(&f, m, "put"));
  DO(cuMemAlloc(&p, 4));
  void *arguments[] = {&p};
  DO(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, arguments, nullptr));
  EXPECT(word(p) == 3);
  DO(cuMemFree(p));
  DO(cuModuleUnload(m));
}

int main() {
  begin();
  modules();
  libraries();
  linker();
  return ended();
}
