// Captures of the driver API: what each version tells and sets, into graphs of the program, modes of threads, what is refused.
// flags: -lcuda -std=c++17 -Xcompiler -Wno-deprecated-declarations
#include "driver.h"
#include <thread>

// Names that the header gives to newer functions.
extern "C" {
CUresult begin1(CUstream) __asm__("cuStreamBeginCapture");
CUresult info1(CUstream, CUstreamCaptureStatus *, cuuint64_t *) __asm__("cuStreamGetCaptureInfo");
CUresult info2(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **, size_t *) __asm__("cuStreamGetCaptureInfo_v2");
CUresult info3(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **, const CUgraphEdgeData **, size_t *) __asm__("cuStreamGetCaptureInfo_v3");
CUresult depend1(CUstream, CUgraphNode *, size_t, unsigned) __asm__("cuStreamUpdateCaptureDependencies");
CUresult depend2(CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t, unsigned) __asm__("cuStreamUpdateCaptureDependencies_v2");
}

static CUstream s;
static CUdeviceptr words;

static CUstreamCaptureStatus status() {
  CUstreamCaptureStatus now;
  DO(cuStreamIsCapturing(s, &now));
  return now;
}

static size_t nodes(CUgraph g) {
  size_t n;
  DO(cuGraphGetNodes(g, nullptr, &n));
  return n;
}

// The versions of the calls that tell and set where a capture stands.
static void versions() {
  CUgraph g, now;
  CUgraphNode first, second, last, list[3];
  const CUgraphNode *tips;
  const CUgraphEdgeData *data;
  CUstreamCaptureStatus state;
  cuuint64_t id = 0, id2 = 0, before = 0;
  size_t n;
  DO(info1(s, &state, &id));
  EXPECT(state == CU_STREAM_CAPTURE_STATUS_NONE);
  WANT(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(s, &g));
  WANT(CUDA_ERROR_ILLEGAL_STATE, depend1(s, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  DO(begin1(s));
  WANT(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  DO(cuMemsetD32Async(words, 1, 1, s));
  DO(info1(s, &state, &id));
  EXPECT(state == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0);
  DO(info2(s, &state, &id2, &g, &tips, &n));
  EXPECT(state == CU_STREAM_CAPTURE_STATUS_ACTIVE && id2 == id && n == 1 && nodes(g) == 1);
  first = tips[0];
  DO(cuMemsetD32Async(words + 4, 2, 1, s));
  DO(info3(s, &state, &id2, &now, &tips, &data, &n));
  EXPECT(id2 == id && now == g && n == 1 && tips[0] != first);
  second = tips[0];

  // What comes next waits for the nodes that the program names, in place of the others or besides.
  DO(depend1(s, &first, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  DO(info2(s, &state, nullptr, nullptr, &tips, &n));
  EXPECT(n == 1 && tips[0] == first);
  DO(depend2(s, &second, nullptr, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  WANT(CUDA_ERROR_INVALID_VALUE, depend2(s, &second, nullptr, 1, 2));
  DO(cuMemsetD32Async(words + 8, 3, 1, s));
  DO(info3(s, &state, nullptr, nullptr, &tips, nullptr, &n));
  EXPECT(n == 1);
  last = tips[0];
  DO(cuGraphRemoveDependencies(g, &first, &second, nullptr, 1)); // the graph can be changed meanwhile
  DO(cuStreamEndCapture(s, &now));
  EXPECT(now == g && status() == CU_STREAM_CAPTURE_STATUS_NONE);
  n = 3;
  DO(cuGraphNodeGetDependencies(last, list, nullptr, &n));
  EXPECT(n == 2 && list[0] == first && list[1] == second && !list[2]);
  DO(cuGraphGetRootNodes(g, nullptr, &n));
  EXPECT(n == 2);
  CUgraphExec x;
  int got[3] = {};
  DO(cuGraphInstantiate(&x, g, 0));
  DO(cuMemsetD32Async(words, 0, 4, s));
  DO(cuGraphLaunch(x, s));
  DO(cuStreamSynchronize(s));
  DO(cuMemcpyDtoH(got, words, 12));
  EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 3);
  before = id;
  DO(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  DO(info1(s, &state, &id));
  EXPECT(id != before);
  DO(cuStreamEndCapture(s, &now));
  EXPECT(nodes(now) == 0);
  DO(cuGraphDestroy(now));

  // Behind a node of a graph of the program.
  DO(cuStreamBeginCaptureToGraph(s, g, &last, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DO(cuMemcpyDtoDAsync(words + 12, words + 8, 4, s));
  DO(cuStreamEndCapture(s, &now));
  EXPECT(now == g && nodes(g) == 4);
  DO(cuGraphNodeGetDependentNodes(last, nullptr, nullptr, &n));
  EXPECT(n == 1);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphInstantiate(&x, g, 0));
  DO(cuMemsetD32Async(words, 0, 4, s));
  DO(cuGraphLaunch(x, s));
  DO(cuStreamSynchronize(s));
  DO(cuMemcpyDtoH(got, words + 12, 4));
  EXPECT(got[0] == 3);
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture(s, CUstreamCaptureMode(3)));
  WANT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));
}

// on runs something in a thread of its own, where the context is current.
template <class F> static void on(CUcontext c, F f) {
  std::thread([=] {
    DO(cuCtxSetCurrent(c));
    f();
  }).join();
}

static CUresult allocate() {
  CUdeviceptr p;
  CUresult r = cuMemAlloc(&p, 4);
  if (r == CUDA_SUCCESS) DO(cuMemFree(p));
  return r;
}

static CUstreamCaptureMode exchange(CUstreamCaptureMode mode) {
  DO(cuThreadExchangeStreamCaptureMode(&mode));
  return mode;
}

// What the capture of one thread keeps which thread from.
static void modes(CUcontext c) {
  const CUstreamCaptureMode all[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED};
  CUstreamCaptureMode wrong = CUstreamCaptureMode(3);
  WANT(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(&wrong));
  WANT(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(nullptr));
  for (CUstreamCaptureMode capture : all)
    for (CUstreamCaptureMode thread : all)
      for (bool other : {false, true}) {
        CUgraph g;
        CUresult got;
        auto call = [&] {
          EXPECT(exchange(thread) == CU_STREAM_CAPTURE_MODE_GLOBAL);
          got = allocate();
          EXPECT(exchange(CU_STREAM_CAPTURE_MODE_GLOBAL) == thread);
        };
        DO(cuStreamBeginCapture(s, capture));
        if (other) on(c, call); else call();
        bool refused = other ? capture == CU_STREAM_CAPTURE_MODE_GLOBAL && thread == CU_STREAM_CAPTURE_MODE_GLOBAL
                             : capture != CU_STREAM_CAPTURE_MODE_RELAXED && thread != CU_STREAM_CAPTURE_MODE_RELAXED;
        EXPECT(got == (refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS));
        EXPECT(status() == (refused ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE));
        WANT(refused ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS, cuStreamEndCapture(s, &g));
        if (!refused) DO(cuGraphDestroy(g));
      }

  // A capture ends in the thread that began it, unless it is relaxed.
  CUgraph g;
  DO(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  on(c, [&] { WANT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(s, &g)); });
  DO(cuStreamEndCapture(s, &g));
  DO(cuGraphDestroy(g));
  DO(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  on(c, [&] { DO(cuStreamEndCapture(s, &g)); });
  DO(cuGraphDestroy(g));

  // The runtime's call changes the same mode.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal && exchange(CU_STREAM_CAPTURE_MODE_GLOBAL) == CU_STREAM_CAPTURE_MODE_RELAXED);
}

// Events: within a capture they are places in it; from without they are nodes.
static void events() {
  CUevent e, outer;
  CUgraph g;
  CUgraphNode list[3];
  CUgraphNodeType kind;
  size_t n = 3;
  DO(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  DO(cuEventCreate(&outer, CU_EVENT_DISABLE_TIMING));
  DO(cuEventQuery(e)); // nothing to wait for
  WANT(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(outer, s, CU_EVENT_RECORD_EXTERNAL)); // no capture
  WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(s, outer, CU_EVENT_WAIT_EXTERNAL));
  WANT(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(outer, s, 2));
  DO(cuEventRecordWithFlags(outer, s, CU_EVENT_RECORD_DEFAULT));
  DO(cuEventSynchronize(outer));
  DO(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  DO(cuMemsetD32Async(words, 9, 1, s));
  DO(cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_DEFAULT));
  WANT(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(e));
  WANT(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(e));
  DO(cuEventRecordWithFlags(outer, s, CU_EVENT_RECORD_EXTERNAL));
  DO(cuStreamWaitEvent(s, outer, CU_EVENT_WAIT_EXTERNAL));
  DO(cuEventQuery(outer)); // of what was recorded before
  DO(cuStreamEndCapture(s, &g));
  DO(cuGraphGetNodes(g, list, &n));
  EXPECT(n == 3);
  DO(cuGraphNodeGetType(list[1], &kind));
  EXPECT(kind == CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  DO(cuGraphNodeGetType(list[2], &kind));
  EXPECT(kind == CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  CUevent told;
  DO(cuGraphEventRecordNodeGetEvent(list[1], &told));
  EXPECT(told == outer);
  DO(cuGraphDestroy(g));
  DO(cuEventDestroy(e));
  DO(cuEventDestroy(outer));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuEventRecordWithFlags(outer, s, 0));
}

int main() {
  CUcontext c = begin();
  DO(cuMemAlloc(&words, 16));
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  versions();
  modes(c);
  events();
  DO(cuStreamDestroy(s));
  DO(cuMemFree(words));
  return ended();
}
