// Libraries that the program loads itself, as PTX: kernels by name, in <<<>>>'s place, variables, logs of errors.
// stderr: error
#include "check.h"
#include <cstring>

static const char ptx[] =
  ".version 8.0\n.target sm_75\n.address_size 64\n"
  ".visible .global .align 4 .u32 seen = 5;\n"
  ".visible .global .attribute(.managed) .align 4 .u32 common = 9;\n"
  ".visible .entry add(.param .u64 at, .param .u32 by)\n{\n"
  ".reg .b64 %a, %s; .reg .b32 %i, %b, %v;\n"
  "ld.param.u64 %a, [at]; ld.param.u32 %b, [by]; mov.u32 %i, %tid.x; mad.wide.u32 %a, %i, 4, %a;\n"
  "ld.global.u32 %v, [%a]; add.u32 %v, %v, %b; st.global.u32 [%a], %v;\n"
  "mov.u64 %s, seen; atom.global.add.u32 %v, [%s], 1; ret;\n}\n"
  ".visible .entry nothing() { ret; }\n";

int main() {
  cudaLibrary_t library;
  CHECK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t add, again, both[2];
  unsigned n;
  CHECK(cudaLibraryGetKernelCount(&n, library));
  EXPECT(n == 2);
  CHECK(cudaLibraryEnumerateKernels(both, 2, library));
  CHECK(cudaLibraryGetKernel(&add, library, "add"));
  CHECK(cudaLibraryGetKernel(&again, library, "add"));
  EXPECT(add == again && (add == both[0] || add == both[1]) && both[0] != both[1]);
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, add));
  EXPECT(a.maxThreadsPerBlock == 1024);

  unsigned *p, by = 7, got[64];
  CHECK(cudaMalloc(&p, sizeof got));
  CHECK(cudaMemset(p, 0, sizeof got));
  void *args[] = {&p, &by};
  CHECK(cudaLaunchKernel(add, dim3(1), dim3(64), args, 0, 0));
  CHECK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  for (unsigned v : got) EXPECT(v == 7);
  void *seen;
  size_t size;
  CHECK(cudaLibraryGetGlobal(&seen, &size, library, "seen"));
  EXPECT(size == 4);
  CHECK(cudaMemcpy(got, seen, 4, cudaMemcpyDeviceToHost));
  EXPECT(got[0] == 5 + 64);

  void *common;
  CHECK(cudaLibraryGetManaged(&common, &size, library, "common"));
  EXPECT(size == 4 && *(unsigned *)common == 9); // by the host
  EXPECT(cudaLibraryGetManaged(&seen, &size, library, "seen") == cudaErrorSymbolNotFound); // on the device alone

  EXPECT(cudaLibraryGetKernel(&again, library, "sub") != cudaSuccess && again == add);
  EXPECT(cudaLibraryGetGlobal(&seen, &size, library, "unseen") != cudaSuccess);
  char log[200] = "";
  cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
  void *values[] = {log, (void *)sizeof log};
  cudaLibrary_t none = library;
  EXPECT(cudaLibraryLoadData(&none, ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { bogus; }", options, values, 2, nullptr, nullptr, 0) == cudaErrorInvalidPtx);
  EXPECT(none == library && strstr(log, "bogus"));
  EXPECT(cudaLibraryLoadFromFile(&none, "/nowhere.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorFileNotFound);
  CHECK(cudaLibraryUnload(library));
  EXPECT(cudaLaunchKernel(add, dim3(1), dim3(64), args, 0, 0) != cudaSuccess);
  cudaGetLastError();
  CHECK(cudaFree(p));
  return passed();
}
