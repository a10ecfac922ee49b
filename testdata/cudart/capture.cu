// Stream capture: fork and join over events, memory of the graph, what a capture forbids; 1000 launches.
#include "check.h"

__global__ void add(float *y, const float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
__global__ void set(float *y, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = v; }
static int called;
static void CUDART_CB call(void *) { called++; }

int main() {
  const int n = 512, blocks = 4;
  float *x, *y, *z;
  CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  CHECK(cudaMallocManaged(&y, n * sizeof(float)));
  CHECK(cudaMallocManaged(&z, n * sizeof(float)));
  for (int i = 0; i < n; i++) x[i] = i;
  cudaStream_t s, t;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(s, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  CHECK(cudaMemsetAsync(y, 0, n * sizeof(float), s));
  CHECK(cudaEventRecord(fork, s));
  CHECK(cudaStreamWaitEvent(t, fork, 0));
  set<<<blocks, 128, 0, t>>>(z, 3, n);
  add<<<blocks, 128, 0, s>>>(y, x, 2, n);
  CHECK(cudaEventRecord(join, t));
  CHECK(cudaStreamWaitEvent(s, join, 0));
  add<<<blocks, 128, 0, s>>>(y, z, 1, n);
  float *scratch;
  CHECK(cudaMallocAsync(&scratch, n * sizeof(float), s));
  CHECK(cudaMemcpyAsync(scratch, y, n * sizeof(float), cudaMemcpyDeviceToDevice, s));
  add<<<blocks, 128, 0, s>>>(y, scratch, 1, n);
  CHECK(cudaFreeAsync(scratch, s));
  CHECK(cudaLaunchHostFunc(s, call, nullptr));
  unsigned long long id;
  cudaGraph_t making, g;
  const cudaGraphNode_t *tips;
  size_t ends;
  CHECK(cudaStreamGetCaptureInfo(s, &status, &id, &making, &tips, nullptr, &ends));
  EXPECT(ends == 1);
  CHECK(cudaStreamEndCapture(s, &g));
  EXPECT(g == making && called == 0);
  CHECK(cudaGetLastError());
  size_t nodes;
  CHECK(cudaGraphGetNodes(g, nullptr, &nodes));
  EXPECT(nodes == 9);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, g, 0));
  for (int i = 0; i < 1000; i++) CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; i++) EXPECT(y[i] == 2 * (2.0f * i + 3));
  EXPECT(called == 1000);

  // What a capture forbids ends it.
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated && g == nullptr);
  void *p;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaMalloc(&p, 4) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMalloc(&p, 4));
  CHECK(cudaEventRecord(fork, s));
  CHECK(cudaStreamWaitEvent(t, fork, 0));
  set<<<blocks, 128, 0, t>>>(z, 3, n);
  EXPECT(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureUnjoined);
  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();

  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeRelaxed);

  // A graph is brought up to date by capturing again.
  float v = 1;
  for (int round = 0; round < 3; round++, v++) {
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    set<<<blocks, 128, 0, s>>>(z, v, n);
    CHECK(cudaStreamEndCapture(s, &g));
    cudaGraphExecUpdateResultInfo info;
    if (round == 0) {
      CHECK(cudaGraphExecDestroy(exec));
      CHECK(cudaGraphInstantiate(&exec, g, 0));
    } else {
      CHECK(cudaGraphExecUpdate(exec, g, &info));
    }
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(z[n - 1] == v);
  }
  return passed();
}
