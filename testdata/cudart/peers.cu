// Two devices: memory of one in kernels of the other, copies between them, events across, what each has.
// env: PTXVM_DEVICES=2
#include "check.h"
#include <cstring>

__global__ void fill(int *p, int v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = v + i; }
__global__ void add(int *to, const int *from, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) to[i] += from[i]; }

int main() {
  const int n = 777;
  int count, can, id;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 2);
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT(can);
  CHECK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 0));
  EXPECT(can);
  int *p[2];
  cudaStream_t s[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaGetDevice(&id));
    EXPECT(id == d);
    CHECK(cudaMalloc(&p[d], n * sizeof(int)));
    CHECK(cudaStreamCreate(&s[d]));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1 - d, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    fill<<<(n + 127) / 128, 128, 0, s[d]>>>(p[d], 1000 * d, n);
  }
  cudaEvent_t e;
  CHECK(cudaEventCreate(&e)); // of device 1
  CHECK(cudaEventRecord(e, s[1]));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamWaitEvent(s[0], e, 0));
  add<<<(n + 127) / 128, 128, 0, s[0]>>>(p[0], p[1], n);
  CHECK(cudaStreamSynchronize(s[0]));
  CHECK(cudaMemcpyPeer(p[1], 1, p[0], 0, n * sizeof(int)));
  std::vector<int> host(n);
  CHECK(cudaMemcpy(host.data(), p[1], n * sizeof(int), cudaMemcpyDefault));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 1000 + 2 * i);
  cudaPointerAttributes at;
  CHECK(cudaPointerGetAttributes(&at, p[1]));
  EXPECT(at.device == 1);
  CHECK(cudaMemcpyPeerAsync(p[0], 0, p[1], 1, n * sizeof(int), s[0]));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceDisablePeerAccess(1));
  EXPECT(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  EXPECT(cudaSetDevice(2) == cudaErrorInvalidDevice);
  cudaGetLastError();
  char bus[2][32];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaDeviceGetPCIBusId(bus[d], sizeof bus[d], d));
    CHECK(cudaDeviceGetByPCIBusId(&id, bus[d]));
    EXPECT(id == d);
  }
  EXPECT(strcmp(bus[0], bus[1]));
  cudaDeviceProp a, b;
  CHECK(cudaGetDeviceProperties(&a, 0));
  CHECK(cudaGetDeviceProperties(&b, 1));
  EXPECT(memcmp(&a.uuid, &b.uuid, sizeof a.uuid));
  for (int d = 0; d < 2; d++) CHECK(cudaFree(p[d]));
  return passed();
}
