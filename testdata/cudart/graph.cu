// Graphs made node by node: kernels, copies, fills, host functions, events, children; parameters, updates, clones.
// flags: -std=c++17
#include "check.h"
#include <cstring>

__global__ void add(int *p, int by, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += by; }
__global__ void scale(int *p, int by, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= by; }
__device__ int symbol[4];
static int calls;
static void CUDART_CB count(void *by) { calls += *(int *)by; }

const int n = 1000;

static cudaKernelNodeParams kernel(void *f, void **args) {
  cudaKernelNodeParams p = {};
  p.func = f, p.gridDim = dim3((n + 127) / 128), p.blockDim = dim3(128), p.kernelParams = args;
  return p;
}

int main() {
  int *a, *b, *host, one = 1, three = 3, five = 5, count_ = n;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  CHECK(cudaMallocHost(&host, n * sizeof(int)));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));

  cudaGraph_t g;
  cudaGraphNode_t fill, first, second, copy, back, call, none;
  CHECK(cudaGraphCreate(&g, 0));
  cudaMemsetParams m = {};
  m.dst = a, m.elementSize = 4, m.value = 2, m.width = n, m.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
  void *args1[] = {&a, &three, &count_}, *args2[] = {&a, &five, &count_};
  cudaKernelNodeParams k1 = kernel((void *)add, args1), k2 = kernel((void *)scale, args2);
  CHECK(cudaGraphAddKernelNode(&first, g, &fill, 1, &k1));
  CHECK(cudaGraphAddKernelNode(&second, g, &first, 1, &k2));
  three = five = 1000; // arguments have been copied
  CHECK(cudaGraphAddMemcpyNode1D(&copy, g, &second, 1, b, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr(b, n * sizeof(int), n, 1);
  c.dstPtr = make_cudaPitchedPtr(host, n * sizeof(int), n, 1);
  c.extent = make_cudaExtent(n * sizeof(int), 1, 1);
  c.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNode(&back, g, &copy, 1, &c));
  cudaHostNodeParams h = {count, &one};
  CHECK(cudaGraphAddHostNode(&call, g, &back, 1, &h));
  CHECK(cudaGraphAddEmptyNode(&none, g, &call, 1));

  size_t nodes = 0, edges = 0;
  CHECK(cudaGraphGetNodes(g, nullptr, &nodes));
  CHECK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
  EXPECT(nodes == 7 && edges == 6);
  cudaGraphNode_t root;
  size_t roots = 1;
  CHECK(cudaGraphGetRootNodes(g, &root, &roots));
  EXPECT(roots == 1 && root == fill);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(back, &type));
  EXPECT(type == cudaGraphNodeTypeMemcpy);
  cudaKernelNodeParams got;
  CHECK(cudaGraphKernelNodeGetParams(second, &got));
  EXPECT(got.func == (void *)scale && got.blockDim.x == 128 && *(int *)got.kernelParams[1] == 5);

  cudaGraphExec_t x;
  CHECK(cudaGraphInstantiate(&x, g, 0));
  auto run = [&](cudaGraphExec_t x, int want) {
    memset(host, 0, n * sizeof(int));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++) EXPECT(host[i] == want);
  };
  run(x, 25);
  run(x, 25);
  EXPECT(calls == 2);

  // Other parameters, in the executable graph alone.
  int by = 7;
  void *args3[] = {&a, &by, &count_};
  cudaKernelNodeParams k3 = kernel((void *)add, args3);
  CHECK(cudaGraphExecKernelNodeSetParams(x, first, &k3));
  run(x, 45);
  m.value = 1;
  CHECK(cudaGraphExecMemsetNodeSetParams(x, fill, &m));
  run(x, 40);
  CHECK(cudaGraphNodeSetEnabled(x, second, 0));
  run(x, 8);
  CHECK(cudaGraphNodeSetEnabled(x, second, 1));

  c.dstPtr.ptr = host + 1, c.extent.width -= sizeof(int);
  CHECK(cudaGraphExecMemcpyNodeSetParams(x, back, &c));
  CHECK(cudaGraphLaunch(x, s));
  CHECK(cudaStreamSynchronize(s));
  c.dstPtr.ptr = host, c.extent.width += sizeof(int);
  CHECK(cudaGraphExecMemcpyNodeSetParams(x, back, &c));
  run(x, 40);
  CHECK(cudaGraphDebugDotPrint(g, "/dev/null", 0));

  // Another graph of the same form.
  cudaGraph_t other;
  CHECK(cudaGraphClone(&other, g));
  cudaGraphNode_t twin;
  CHECK(cudaGraphNodeFindInClone(&twin, first, other));
  CHECK(cudaGraphKernelNodeSetParams(twin, &k3));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(x, other, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  run(x, 45);
  CHECK(cudaGraphDestroyNode(none));
  EXPECT(cudaGraphExecUpdate(x, g, &info) == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);

  // A graph in a graph, events, symbols, nodes by the general call.
  cudaGraph_t outer;
  cudaGraphNode_t inner, after, record, put, wait;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, g));
  int four = 4;
  void *args4[] = {&host, &four, &count_};
  cudaGraphNodeParams any = {};
  any.type = cudaGraphNodeTypeKernel;
  any.kernel.func = (void *)add, any.kernel.gridDim = k1.gridDim, any.kernel.blockDim = k1.blockDim, any.kernel.kernelParams = args4;
  CHECK(cudaGraphAddNode(&after, outer, &inner, nullptr, 1, &any));
  CHECK(cudaGraphAddEventRecordNode(&record, outer, &after, 1, event));
  CHECK(cudaGraphAddEventWaitNode(&wait, outer, &record, 1, event));
  const int values[4] = {1, 2, 3, 4};
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&put, outer, &wait, 1, symbol, values, sizeof values, 0, cudaMemcpyHostToDevice));
  cudaGraphExec_t y;
  CHECK(cudaGraphInstantiateWithFlags(&y, outer, 0));
  CHECK(cudaGraphUpload(y, s));
  run(y, 29);
  CHECK(cudaEventQuery(event));
  int read[4];
  CHECK(cudaMemcpyFromSymbol(read, symbol, sizeof read));
  EXPECT(!memcmp(read, values, sizeof read));

  // What is wrong.
  CHECK(cudaGraphAddDependencies(g, &call, &fill, nullptr, 1));
  EXPECT(cudaGraphInstantiate(&x, g, 0) == cudaErrorInvalidValue); // a circle
  EXPECT(cudaGraphAddEmptyNode(&none, g, &inner, 1) == cudaErrorInvalidValue); // a node of another graph
  k1.blockDim = dim3(2000);
  EXPECT(cudaGraphAddKernelNode(&none, g, nullptr, 0, &k1) == cudaErrorInvalidConfiguration);
  EXPECT(cudaGraphLaunch(nullptr, s) == cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaGraphExecDestroy(y));
  EXPECT(cudaGraphExecDestroy(y) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaGraphDestroy(other));
  CHECK(cudaGraphDestroy(g));
  return passed();
}
