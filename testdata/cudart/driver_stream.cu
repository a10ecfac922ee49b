// Streams of the driver API: what they say, captures, events, host functions, and words in memory that they wait for and write.
// flags: -lcuda -std=c++17 -Xcompiler -Wno-deprecated-declarations
#include "driver.h"
#include <atomic>
#include <cstring>
#include <unistd.h>

// Names that the header gives to newer functions.
extern "C" {
CUresult capture1(CUstream) __asm__("cuStreamBeginCapture");
CUresult info1(CUstream, CUstreamCaptureStatus *, cuuint64_t *) __asm__("cuStreamGetCaptureInfo");
CUresult info2(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **, size_t *) __asm__("cuStreamGetCaptureInfo_v2");
CUresult depend1(CUstream, CUgraphNode *, size_t, unsigned) __asm__("cuStreamUpdateCaptureDependencies");
CUresult wait32(CUstream, CUdeviceptr, cuuint32_t, unsigned) __asm__("cuStreamWaitValue32");
CUresult wait64(CUstream, CUdeviceptr, cuuint64_t, unsigned) __asm__("cuStreamWaitValue64");
CUresult write32(CUstream, CUdeviceptr, cuuint32_t, unsigned) __asm__("cuStreamWriteValue32");
CUresult write64(CUstream, CUdeviceptr, cuuint64_t, unsigned) __asm__("cuStreamWriteValue64");
CUresult cuProfilerStart(); // of a header that not every toolkit has
CUresult cuProfilerStop();
CUresult elapsed1(float *, CUevent, CUevent) __asm__("cuEventElapsedTime");
}

static CUcontext context;
static CUdeviceptr words;
static std::atomic<int> called;
static void CUDA_CB note(void *by) { called = called * 10 + *(int *)by; }
static void CUDA_CB slow(void *) { usleep(20000); }

static unsigned word(int i) {
  unsigned v;
  DO(cuMemcpyDtoH(&v, words + 4 * i, 4));
  return v;
}

static void about() {
  CUstream s, low, with;
  unsigned flags;
  int priority;
  unsigned long long id, other;
  CUcontext c;
  CUdevice d = 7;
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  DO(cuStreamCreateWithPriority(&low, CU_STREAM_DEFAULT, -3));
  DO(cuStreamGetFlags(s, &flags));
  EXPECT(flags == CU_STREAM_NON_BLOCKING);
  DO(cuStreamGetFlags(low, &flags));
  EXPECT(flags == CU_STREAM_DEFAULT);
  DO(cuStreamGetPriority(low, &priority));
  EXPECT(priority == -3);
  DO(cuStreamCreateWithPriority(&with, CU_STREAM_DEFAULT, -100)); // as far as there is
  DO(cuStreamGetPriority(with, &priority));
  int least, greatest;
  DO(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT(priority == greatest);
  DO(cuStreamDestroy(with));
  DO(cuStreamGetId(s, &id));
  DO(cuStreamGetId(low, &other));
  EXPECT(id != other);
  DO(cuStreamGetCtx(s, &c));
  EXPECT(c == context);
  CUgreenCtx green = CUgreenCtx(1);
  c = nullptr;
  DO(cuStreamGetCtx_v2(s, &c, &green));
  EXPECT(c == context && !green);
  DO(cuStreamGetDevice(s, &d));
  EXPECT(d == 0);
  CUstreamAttrValue set = {}, got = {};
  set.syncPolicy = CU_SYNC_POLICY_YIELD;
  DO(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &set));
  DO(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
  EXPECT(got.syncPolicy == CU_SYNC_POLICY_YIELD);
  DO(cuStreamCopyAttributes(low, s));
  got = {};
  DO(cuStreamGetAttribute(low, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
  EXPECT(got.syncPolicy == CU_SYNC_POLICY_YIELD);
  CUdeviceptr managed;
  DO(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  DO(cuStreamAttachMemAsync(s, managed, 0, CU_MEM_ATTACH_SINGLE));
  DO(cuStreamSynchronize(s));
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(s, words, 0, CU_MEM_ATTACH_SINGLE));
  DO(cuMemFree(managed));

  // Events lie behind what the stream has, and host functions run in its order.
  CUevent a, b;
  int three = 3, four = 4;
  float ms = -1, again = -1;
  DO(cuEventCreate(&a, CU_EVENT_DEFAULT));
  DO(cuEventCreate(&b, CU_EVENT_DEFAULT));
  DO(cuEventQuery(a)); // never recorded: nothing to wait for
  called = 0;
  DO(cuEventRecordWithFlags(a, s, CU_EVENT_RECORD_DEFAULT));
  DO(cuLaunchHostFunc(s, slow, nullptr));
  DO(cuLaunchHostFunc_v2(s, note, &three, 0));
  DO(cuLaunchHostFunc_v2(s, note, &four, 0));
  DO(cuEventRecord(b, s));
  WANT(CUDA_ERROR_NOT_READY, cuEventQuery(b));
  DO(cuEventSynchronize(b));
  EXPECT(called == 34);
  DO(cuEventElapsedTime(&ms, a, b));
  DO(elapsed1(&again, a, b));
  EXPECT(ms >= 15 && ms == again);
  DO(cuEventDestroy(a));
  DO(cuEventDestroy(b));
  DO(cuProfilerStart());
  DO(cuProfilerStop());
  DO(cuStreamDestroy(s));
  DO(cuStreamDestroy(low));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamGetFlags(s, &flags));
}

// Captures: what is enqueued becomes nodes, also those that a program puts in between.
static void captures() {
  CUstream s;
  CUgraph g, of;
  CUgraphExec x;
  CUgraphNode n;
  CUstreamCaptureStatus status;
  cuuint64_t id = 0, same = 0;
  const CUgraphNode *tips;
  const CUgraphEdgeData *data;
  size_t count;
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  DO(info1(s, &status, &id));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_NONE);
  DO(cuMemsetD32(words, 0, 4));
  DO(cuCtxSynchronize());
  DO(capture1(s));
  DO(cuMemsetD32Async(words, 1, 1, s));
  DO(info1(s, &status, &id));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0);
  DO(info2(s, &status, &same, &of, &tips, &count));
  EXPECT(same == id && of && count == 1);
  CUgraphNode first = tips[0];
  CUDA_MEMSET_NODE_PARAMS m = {};
  m.dst = words + 4, m.value = 2, m.elementSize = 4, m.width = 1, m.height = 1;
  DO(cuGraphAddMemsetNode(&n, of, &first, 1, &m, context));
  DO(depend1(s, &n, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  DO(cuStreamGetCaptureInfo(s, &status, &same, &of, &tips, &data, &count));
  EXPECT(count == 1 && tips[0] == n);
  DO(cuStreamUpdateCaptureDependencies(s, &first, nullptr, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  DO(cuStreamGetCaptureInfo(s, &status, &same, &of, &tips, &data, &count));
  EXPECT(count == 2);
  DO(cuMemsetD32Async(words + 8, 3, 1, s));
  DO(cuStreamEndCapture(s, &g));
  size_t nodes = 0;
  DO(cuGraphGetNodes(g, nullptr, &nodes));
  EXPECT(nodes == 3 && word(0) == 0);
  DO(cuGraphInstantiate(&x, g, 0));
  DO(cuGraphLaunch(x, s));
  DO(cuStreamSynchronize(s));
  EXPECT(word(0) == 1 && word(1) == 2 && word(2) == 3);
  DO(cuGraphExecDestroy(x));

  // Into a graph that there is.
  size_t before = nodes;
  DO(cuGraphGetRootNodes(g, &n, &(count = 1)));
  DO(cuStreamBeginCaptureToGraph(s, g, &n, nullptr, 1, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  DO(cuMemsetD32Async(words + 12, 4, 1, s));
  DO(cuStreamEndCapture(s, &of));
  DO(cuGraphGetNodes(g, nullptr, &nodes));
  EXPECT(of == g && nodes == before + 1);
  DO(cuGraphInstantiate(&x, g, 0));
  DO(cuGraphLaunch(x, s));
  DO(cuStreamSynchronize(s));
  EXPECT(word(3) == 4);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));

  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  DO(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  DO(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
  DO(cuStreamDestroy(s));
}

// Streams that wait for words and write them.
static void values() {
  CUstream s, t;
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  DO(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  DO(cuMemsetD32(words, 0, 4));
  DO(cuCtxSynchronize());
  DO(wait32(s, words, 5, CU_STREAM_WAIT_VALUE_GEQ));
  DO(write64(s, words + 8, 0x300000002ull, CU_STREAM_WRITE_VALUE_DEFAULT));
  WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  DO(wait64(t, words + 8, 0x300000002ull, CU_STREAM_WAIT_VALUE_EQ));
  DO(write32(t, words + 4, 9, CU_STREAM_WRITE_VALUE_DEFAULT));
  usleep(2000);
  WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(t));
  DO(write32(0, words, 6, CU_STREAM_WRITE_VALUE_DEFAULT));
  DO(cuStreamSynchronize(t));
  EXPECT(word(0) == 6 && word(1) == 9 && word(2) == 2 && word(3) == 3);
  WANT(CUDA_ERROR_INVALID_VALUE, write32(0, words + 2, 6, 0));
  DO(cuStreamWaitValue64(s, words + 8, 1, CU_STREAM_WAIT_VALUE_GEQ));
  DO(cuStreamWriteValue32(s, words, 1, 0));
  DO(cuStreamSynchronize(s));
  EXPECT(word(0) == 1);
  DO(cuStreamDestroy(s));
  DO(cuStreamDestroy(t));
}

int main() {
  context = begin();
  DO(cuMemAlloc(&words, 16));
  about();
  captures();
  values();
  DO(cuMemFree(words));
  return ended();
}
