// A program of CUDA 12: it is linked with libcudart.so.12, whose structures and functions are those of then. The headers may
// be newer ones, so the functions that differ are declared here.
// flags: -cudart none -l:libcudart.so.12
#include "check.h"
#include <cstring>

#define OF_12(name, symbol, ...) extern "C" cudaError_t name(__VA_ARGS__) __asm__(symbol)
OF_12(properties, "cudaGetDeviceProperties_v2", void *, int);
OF_12(attributes, "cudaPointerGetAttributes", void *, const void *);
OF_12(advise, "cudaMemAdvise", const void *, size_t, int, int);
OF_12(prefetch, "cudaMemPrefetchAsync", const void *, size_t, int, cudaStream_t);
OF_12(resource, "cudaGetTextureObjectResourceDesc", void *, cudaTextureObject_t);
OF_12(addDependencies, "cudaGraphAddDependencies", cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
OF_12(edges, "cudaGraphGetEdges", cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, size_t *);
OF_12(edges2, "cudaGraphGetEdges_v2", cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, cudaGraphEdgeData *, size_t *);
OF_12(captureInfo, "cudaStreamGetCaptureInfo_v2", cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, size_t *);
OF_12(threadSynchronize, "cudaThreadSynchronize", void);

__global__ void twice(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}

// intact tells whether what lies behind n bytes is as before.
static bool intact(const unsigned char *p, size_t n, size_t all) {
  for (size_t i = n; i < all; i++)
    if (p[i] != 0xa5) return false;
  return true;
}

static int number(const unsigned char *p, size_t at) {
  int v;
  memcpy(&v, p + at, sizeof v);
  return v;
}

int main() {
  int version, value;
  CHECK(cudaRuntimeGetVersion(&version));
  EXPECT(version / 1000 == 12);

  unsigned char p[2048];
  memset(p, 0xa5, sizeof p);
  CHECK(properties(p, 0));
  EXPECT(intact(p, 1032, sizeof p) && !strncmp((char *)p, "ptxvm (sm_", 10));
  const struct { int at; cudaDeviceAttr attribute; } fields[] = {
    {348, cudaDevAttrClockRate}, {360, cudaDevAttrComputeCapabilityMajor}, {388, cudaDevAttrMultiProcessorCount}, {612, cudaDevAttrGlobalMemoryBusWidth},
    {624, cudaDevAttrMaxThreadsPerMultiProcessor}, {696, cudaDevAttrMaxSharedMemoryPerBlockOptin}, {772, cudaDevAttrClusterLaunch}};
  for (auto f : fields) {
    CHECK(cudaDeviceGetAttribute(&value, f.attribute, 0));
    EXPECT(number(p, f.at) == value);
  }

  const int n = 1000;
  float *m;
  CHECK(cudaMallocManaged(&m, n * sizeof(float)));
  for (int i = 0; i < n; i++) m[i] = i;
  CHECK(advise(m, n * sizeof(float), cudaMemAdviseSetReadMostly, 0));
  CHECK(prefetch(m, n * sizeof(float), 0, 0));
  twice<<<4, 256>>>(m, n);
  CHECK(prefetch(m, n * sizeof(float), cudaCpuDeviceId, 0));
  CHECK(threadSynchronize());
  for (int i = 0; i < n; i++) EXPECT(m[i] == 2 * i);
  EXPECT(prefetch(m, n * sizeof(float) + 1, 0, 0) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);

  memset(p, 0xa5, sizeof p);
  CHECK(attributes(p, m));
  EXPECT(intact(p, 24, sizeof p) && number(p, 0) == cudaMemoryTypeManaged);
  EXPECT(attributes(nullptr, m) == cudaErrorInvalidValue);

  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = m;
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  r.res.linear.sizeInBytes = n * sizeof(float);
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &r, &how, nullptr));
  memset(p, 0xa5, sizeof p);
  CHECK(resource(p, texture));
  EXPECT(intact(p, 64, sizeof p) && !memcmp(p, &r, 48));
  CHECK(cudaDestroyTextureObject(texture));

  cudaGraph_t g, capturing;
  cudaGraphNode_t a, b, from, to;
  size_t count = 1;
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  CHECK(cudaGraphAddEmptyNode(&b, g, nullptr, 0));
  CHECK(addDependencies(g, &a, &b, 1));
  CHECK(edges(g, &from, &to, &count));
  EXPECT(count == 1 && from == a && to == b);
  cudaGraphEdgeData data;
  CHECK(edges2(g, &from, &to, &data, &count));
  EXPECT(count == 1 && from == a && to == b && data.type == 0);
  CHECK(cudaGraphDestroy(g));

  cudaStream_t s;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *tips;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  twice<<<4, 256, 0, s>>>(m, n);
  CHECK(captureInfo(s, &status, nullptr, &capturing, &tips, &count));
  EXPECT(status == cudaStreamCaptureStatusActive && count == 1);
  CHECK(cudaStreamEndCapture(s, &g));
  EXPECT(g == capturing);
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(m));
  return passed();
}
