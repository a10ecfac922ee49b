// Conditional nodes of graphs: if, if and else, while, switch, one inside another; defaults, captures into bodies, what is refused.
// flags: -rdc=true -std=c++17
// stderr: a node of the kind HOST in the body of a conditional node
#include "check.h"

__global__ void decide(cudaGraphConditionalHandle h, const int *from, int at_most) { cudaGraphSetConditional(h, *from < at_most); }
__global__ void choose(cudaGraphConditionalHandle h, const int *from) { cudaGraphSetConditional(h, *from); }
__global__ void add(int *p, int by) { *p += by; }

static cudaGraphNode_t conditional(cudaGraph_t g, const cudaGraphNode_t *after, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type, unsigned n, cudaGraph_t *bodies) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = h, p.conditional.type = type, p.conditional.size = n;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, g, after, nullptr, after ? 1 : 0, &p));
  for (unsigned i = 0; i < n; i++) bodies[i] = p.conditional.phGraph_out[i];
  cudaGraphNodeParams told = {};
  CHECK(cudaGraphNodeGetParams(node, &told));
  EXPECT(told.conditional.handle == h && told.conditional.size == n && told.conditional.phGraph_out[0] == bodies[0]);
  return node;
}

static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *after, const void *f, void **args) {
  cudaKernelNodeParams k = {};
  k.func = (void *)f, k.gridDim = k.blockDim = dim3(1), k.kernelParams = args;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, g, after, after ? 1 : 0, &k));
  return node;
}

int main() {
  int *count, *other, ten = 10, one = 1, hundred = 100, thousand = 1000;
  CHECK(cudaMallocManaged(&count, sizeof(int)));
  CHECK(cudaMallocManaged(&other, sizeof(int)));
  cudaGraph_t g, body, two[2], some[3];
  cudaGraphExec_t x;
  cudaGraphConditionalHandle h, inner;
  cudaGraphNode_t node, first;

  // While: the body counts to ten, and each time an inner if adds to another word as long as the count is below one hundred.
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
  node = conditional(g, nullptr, h, cudaGraphCondTypeWhile, 1, &body);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(node, &type));
  EXPECT(type == cudaGraphNodeTypeConditional);
  void *adding[] = {&count, &one}, *deciding[] = {&h, &count, &ten};
  first = kernel(body, nullptr, (void *)add, adding);
  first = kernel(body, &first, (void *)decide, deciding);
  CHECK(cudaGraphConditionalHandleCreate_v2(&inner, body, nullptr, 1, cudaGraphCondAssignDefault));
  conditional(body, &first, inner, cudaGraphCondTypeIf, 1, &two[0]);
  void *addingMore[] = {&other, &hundred};
  kernel(two[0], nullptr, (void *)add, addingMore);
  CHECK(cudaGraphInstantiate(&x, g, 0));
  for (int i = 1; i <= 3; i++) {
    *count = 0, *other = 0;
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(*count == 10 && *other == 1000);
  }
  *count = 50, *other = 0; // the value is 1 at the begin of each launch: the body runs once
  CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*count == 51 && *other == 100);

  // An update changes what a node in a body does.
  cudaKernelNodeParams k = {};
  void *addingTwo[] = {&count, &ten};
  k.func = (void *)add, k.gridDim = k.blockDim = dim3(1), k.kernelParams = addingTwo;
  size_t before = 1;
  CHECK(cudaGraphNodeGetDependencies(first, &node, nullptr, &before));
  CHECK(cudaGraphExecKernelNodeSetParams(x, node, &k));
  *count = 0, *other = 0;
  CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*count == 10 && *other == 100);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g));

  // If and else, with a default that is assigned, and with the value that the last launch left.
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphConditionalHandleCreate(&h, g, 0, cudaGraphCondAssignDefault));
  conditional(g, nullptr, h, cudaGraphCondTypeIf, 2, two);
  void *addingThousand[] = {&count, &thousand};
  kernel(two[0], nullptr, (void *)add, adding);
  kernel(two[1], nullptr, (void *)add, addingThousand);
  CHECK(cudaGraphInstantiate(&x, g, 0));
  *count = 0;
  CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*count == 1000);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g));

  // Switch, whose bodies come from captures.
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
  void *choosing[] = {&h, &other};
  first = kernel(g, nullptr, (void *)choose, choosing);
  conditional(g, &first, h, cudaGraphCondTypeSwitch, 3, some);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  for (int i = 0; i < 3; i++) {
    CHECK(cudaStreamBeginCaptureToGraph(s, some[i], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(count, 1 << i);
    cudaGraph_t same;
    CHECK(cudaStreamEndCapture(s, &same));
    EXPECT(same == some[i]);
  }
  CHECK(cudaGraphInstantiate(&x, g, 0));
  for (int i = 0; i < 5; i++) {
    *count = 0, *other = i;
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(*count == (i < 3 ? 1 << i : 0));
  }
  CHECK(cudaGraphExecDestroy(x));

  // What is refused: handles that are none, wrong numbers of bodies, one handle twice, host functions in a body.
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 2;
  EXPECT(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p) == cudaErrorInvalidValue);
  p.conditional.handle = 12345, p.conditional.size = 1;
  EXPECT(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p) == cudaErrorInvalidValue);
  cudaHostNodeParams host = {[](void *) {}, nullptr};
  CHECK(cudaGraphAddHostNode(&node, some[0], nullptr, 0, &host));
  EXPECT(cudaGraphInstantiate(&x, g, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroyNode(node));
  conditional(g, nullptr, h, cudaGraphCondTypeIf, 1, &body);
  EXPECT(cudaGraphInstantiate(&x, g, 0) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(g));
  return passed();
}
