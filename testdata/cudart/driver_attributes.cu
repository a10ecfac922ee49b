// Streams of the driver API: their contexts, attributes and priority, words that one writes and another waits for, events.
// flags: -lcuda -std=c++17 -Xcompiler -Wno-deprecated-declarations
#include "driver.h"
#include <atomic>
#include <cstring>

// Names that the header gives to newer functions.
extern "C" {
CUresult cuProfilerStart(void); // cudaProfiler.h is not in the wheels
CUresult cuProfilerStop(void);
CUresult elapsed1(float *, CUevent, CUevent) __asm__("cuEventElapsedTime");
CUresult wait1(CUstream, CUdeviceptr, cuuint32_t, unsigned) __asm__("cuStreamWaitValue32");
CUresult waitLong1(CUstream, CUdeviceptr, cuuint64_t, unsigned) __asm__("cuStreamWaitValue64");
CUresult write1(CUstream, CUdeviceptr, cuuint32_t, unsigned) __asm__("cuStreamWriteValue32");
CUresult writeLong1(CUstream, CUdeviceptr, cuuint64_t, unsigned) __asm__("cuStreamWriteValue64");
}

static CUstream s, t;

// What a stream was made with.
static void about(CUcontext primary) {
  CUstream plain, runtime;
  CUcontext second, got;
  CUgreenCtx green = (CUgreenCtx)1;
  CUdevice device = 7;
  int priority = 1, least, greatest;
  unsigned flags = 9;
  unsigned long long id, id2;
  DO(cuCtxGetStreamPriorityRange(&least, &greatest));
  DO(cuStreamCreateWithPriority(&plain, CU_STREAM_NON_BLOCKING, greatest));
  DO(cuStreamGetPriority(plain, &priority));
  DO(cuStreamGetFlags(plain, &flags));
  DO(cuStreamGetDevice(plain, &device));
  EXPECT(priority == greatest && flags == CU_STREAM_NON_BLOCKING && device == 0);
  DO(cuStreamDestroy(plain));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamGetPriority(plain, &priority));
  DO(cuStreamCreateWithPriority(&plain, CU_STREAM_DEFAULT, greatest - 5)); // more than there is
  DO(cuStreamGetPriority(plain, &priority));
  DO(cuStreamGetFlags(plain, &flags));
  EXPECT(priority == greatest && flags == CU_STREAM_DEFAULT);
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamCreateWithPriority(&runtime, 2, 0));
  DO(cuStreamGetId(plain, &id));
  DO(cuStreamGetId(s, &id2));
  EXPECT(id != id2);
  DO(cuStreamGetId(nullptr, &id2));
  DO(cuStreamGetId(CU_STREAM_LEGACY, &id));
  EXPECT(id == id2);

  // The context is that of its making, whichever is current when it is asked for.
  CHECK(cudaStreamCreate(&runtime));
  CUctxCreateParams none = {};
  DO(cuCtxCreate(&second, &none, 0, 0));
  EXPECT(second != primary);
  CUstream inSecond;
  DO(cuStreamCreate(&inSecond, CU_STREAM_DEFAULT));
  DO(cuStreamGetCtx(plain, &got));
  EXPECT(got == primary);
  DO(cuStreamGetCtx(runtime, &got));
  EXPECT(got == primary);
  DO(cuStreamGetCtx(nullptr, &got));
  EXPECT(got == second);
  DO(cuCtxSetCurrent(primary));
  DO(cuStreamGetCtx_v2(inSecond, &got, &green));
  EXPECT(got == second && !green);
  DO(cuStreamGetCtx_v2(CU_STREAM_PER_THREAD, &got, nullptr));
  EXPECT(got == primary);
  DO(cuStreamDestroy(inSecond));
  DO(cuCtxDestroy(second));
  DO(cuCtxSetCurrent(primary));
  CHECK(cudaStreamDestroy(runtime));
  DO(cuStreamDestroy(plain));
}

// Attributes: what there is at first, what is set, what is none.
static void attributes() {
  CUstreamAttrValue v = {}, got = {};
  int priority;
  DO(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
  EXPECT(got.syncPolicy == CU_SYNC_POLICY_AUTO);
  DO(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &got));
  EXPECT(got.memSyncDomainMap.default_ == 0 && got.memSyncDomainMap.remote == 1);
  v.syncPolicy = CU_SYNC_POLICY_YIELD;
  DO(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
  v = {};
  v.accessPolicyWindow.num_bytes = 4096, v.accessPolicyWindow.hitRatio = 0.5f, v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
  DO(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
  v = {};
  v.priority = -3;
  DO(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
  DO(cuStreamGetPriority(s, &priority));
  EXPECT(priority == -3);
  DO(cuStreamCopyAttributes(t, s));
  DO(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
  EXPECT(got.syncPolicy == CU_SYNC_POLICY_YIELD);
  DO(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
  EXPECT(got.accessPolicyWindow.num_bytes == 4096 && got.accessPolicyWindow.hitRatio == 0.5f && got.accessPolicyWindow.hitProp == CU_ACCESS_PROPERTY_PERSISTING);
  DO(cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
  DO(cuStreamGetPriority(t, &priority));
  EXPECT(got.priority == -3 && priority == -3);
  v.syncPolicy = CUsynchronizationPolicy(0);
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
  v.accessPolicyWindow.hitRatio = 2;
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v)); // of launches alone
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr));
}

static void CUDA_CB add(void *p) { ++*(std::atomic<int> *)p; }

// One stream waits until another has written.
static void values() {
  CUdeviceptr words;
  std::atomic<int> called{0};
  cuuint64_t got[4];
  DO(cuMemAlloc(&words, 32));
  DO(cuMemsetD32Async(words, 0, 8, s));
  DO(cuStreamSynchronize(s));
  DO(cuStreamWaitValue64(s, words, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ));
  DO(cuStreamWriteValue64(s, words + 8, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
  DO(cuLaunchHostFunc(s, add, &called));
  DO(waitLong1(s, words + 16, 6, CU_STREAM_WAIT_VALUE_GEQ));
  DO(cuLaunchHostFunc_v2(s, add, &called, 1));
  DO(wait1(s, words + 24, 0x10, CU_STREAM_WAIT_VALUE_AND));
  DO(cuStreamWaitValue32(s, words + 28, 0x7fffffff, CU_STREAM_WAIT_VALUE_NOR));
  DO(cuLaunchHostFunc(s, add, &called));
  WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  EXPECT(called == 0);
  DO(writeLong1(t, words, 1ull << 40, CU_STREAM_WRITE_VALUE_DEFAULT));
  DO(cuStreamWaitValue64(t, words + 8, 5, CU_STREAM_WAIT_VALUE_EQ)); // s is on
  DO(cuStreamSynchronize(t));
  for (int i = 0; i < 20000000 && called != 1; i++) {}
  WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  DO(cuStreamWriteValue64(t, words + 16, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
  DO(cuStreamWriteValue32(t, words + 24, 0x11, CU_STREAM_WRITE_VALUE_DEFAULT));
  DO(write1(t, words + 28, 0x3, CU_STREAM_WRITE_VALUE_DEFAULT));
  DO(cuStreamSynchronize(s));
  DO(cuStreamSynchronize(t));
  EXPECT(called == 3);
  DO(cuMemcpyDtoH(got, words, 32));
  EXPECT(got[0] == 1ull << 40 && got[1] == 5 && got[2] == 7 && got[3] == (3ull << 32 | 0x11)); // each as wide as it is
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64(s, words + 4, 1, 0)); // not aligned
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(s, 0, 1, 0));
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64(s, words, 1, 8)); // no such condition
  WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc_v2(s, add, &called, 2));
  WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc_v2(s, nullptr, nullptr, 0));
  DO(cuMemFree(words));
}

static void events() {
  CUevent a, b, untimed;
  float ms = -1, old = -1;
  std::atomic<int> called{0};
  DO(cuEventCreate(&a, CU_EVENT_DEFAULT));
  DO(cuEventCreate(&b, CU_EVENT_DEFAULT));
  DO(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, b)); // not recorded
  DO(cuEventRecordWithFlags(a, s, CU_EVENT_RECORD_DEFAULT));
  DO(cuLaunchHostFunc(s, add, &called));
  DO(cuEventRecordWithFlags(b, s, CU_EVENT_RECORD_DEFAULT));
  DO(cuEventRecord(untimed, s));
  CUresult r;
  while ((r = cuEventQuery(b)) == CUDA_ERROR_NOT_READY) {}
  EXPECT(r == CUDA_SUCCESS && called == 1);
  DO(cuEventElapsedTime(&ms, a, b));
  DO(elapsed1(&old, a, b));
  EXPECT(ms > 0 && ms == old);
  WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, untimed));
  DO(cuEventDestroy(a));
  DO(cuEventDestroy(b));
  DO(cuEventDestroy(untimed));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(a));
}

// A node of a capture has its stream's priority.
__global__ void nothing() {}
static void priorities() {
  CUgraph g;
  CUgraphNode n;
  size_t one = 1;
  CUkernelNodeAttrValue v = {};
  DO(cuStreamBeginCapture(t, CU_STREAM_CAPTURE_MODE_GLOBAL));
  nothing<<<1, 1, 0, t>>>();
  DO(cuStreamEndCapture(t, &g));
  DO(cuGraphGetNodes(g, &n, &one));
  DO(cuGraphKernelNodeGetAttribute(n, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &v));
  EXPECT(v.priority == -3);
  DO(cuGraphDestroy(g));
}

int main() {
  WANT(CUDA_ERROR_NOT_INITIALIZED, cuProfilerStart());
  CUcontext primary = begin();
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  DO(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  DO(cuProfilerStart());
  about(primary);
  attributes();
  values();
  events();
  priorities();
  DO(cuProfilerStop());
  DO(cuStreamDestroy(s));
  DO(cuStreamDestroy(t));
  return ended();
}
