// Events between streams: a pipeline, times, priorities, hints of streams.
#include "check.h"

__global__ void step(int *p, int add, int mul, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = (p[i] + add) * mul; }

int main() {
  const int n = 4096, stages = 4, chunk = n / stages;
  int least, greatest, priority, *d, *host;
  unsigned flags;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  cudaStream_t up, work, down;
  CHECK(cudaStreamCreateWithPriority(&up, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamDefault));
  CHECK(cudaStreamCreate(&down));
  CHECK(cudaStreamGetPriority(up, &priority));
  CHECK(cudaStreamGetFlags(up, &flags));
  EXPECT(priority == greatest && flags == cudaStreamNonBlocking);
  CHECK(cudaMalloc(&d, n * sizeof(int)));
  CHECK(cudaMallocHost(&host, n * sizeof(int)));
  for (int i = 0; i < n; i++) host[i] = i;
  cudaEvent_t begin, end, loaded[stages], ready[stages], old;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  CHECK(cudaEventCreateWithFlags(&old, cudaEventDisableTiming));
  CHECK(cudaEventRecord(begin, up));
  for (int k = 0; k < stages; k++) {
    CHECK(cudaEventCreateWithFlags(&loaded[k], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&ready[k], cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(d + k * chunk, host + k * chunk, chunk * sizeof(int), cudaMemcpyHostToDevice, up));
    CHECK(cudaEventRecord(loaded[k], up));
    CHECK(cudaStreamWaitEvent(work, loaded[k], 0));
    step<<<chunk / 128, 128, 0, work>>>(d + k * chunk, 1, 2, chunk);
    step<<<chunk / 128, 128, 0, work>>>(d + k * chunk, k, 3, chunk);
    CHECK(cudaEventRecordWithFlags(ready[k], work, cudaEventRecordDefault));
    CHECK(cudaStreamWaitEvent(down, ready[k]));
    CHECK(cudaMemcpyAsync(host + k * chunk, d + k * chunk, chunk * sizeof(int), cudaMemcpyDeviceToHost, down));
  }
  CHECK(cudaEventRecord(end, down));
  CHECK(cudaEventSynchronize(end));
  for (int i = 0; i < n; i++) EXPECT(host[i] == ((i + 1) * 2 + i / chunk) * 3);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms > 0 && ms < 60000);
  EXPECT(cudaEventElapsedTime(&ms, begin, old) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  cudaStreamAttrValue v = {}, w = {};
  v.syncPolicy = cudaSyncPolicyYield;
  CHECK(cudaStreamSetAttribute(work, cudaStreamAttributeSynchronizationPolicy, &v));
  CHECK(cudaStreamCopyAttributes(down, work));
  CHECK(cudaStreamGetAttribute(down, cudaStreamAttributeSynchronizationPolicy, &w));
  EXPECT(w.syncPolicy == cudaSyncPolicyYield);
  unsigned long long a, b;
  CHECK(cudaStreamGetId(up, &a));
  CHECK(cudaStreamGetId(down, &b));
  EXPECT(a != b);
  for (cudaStream_t s : {up, work, down}) CHECK(cudaStreamDestroy(s));
  EXPECT(cudaStreamDestroy(up) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  return passed();
}
