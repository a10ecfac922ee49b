// What graphs say of their nodes, and what of a node can change, in the graph and in what has been made of it.
// flags: -std=c++17
#include "check.h"
#include <cstring>

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
__device__ int table[4];
static int called;
static void CUDART_CB note(void *by) { called = called * 10 + *(int *)by; }

static cudaGraphExec_t made(cudaGraph_t g) {
  cudaGraphExec_t x;
  cudaGraphInstantiateParams p = {};
  CHECK(cudaGraphInstantiateWithParams(&x, g, &p));
  EXPECT(p.result_out == cudaGraphInstantiateSuccess);
  return x;
}

static void run(cudaGraphExec_t x) {
  CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaDeviceSynchronize());
}

// Copies: of bytes, and from and to symbols.
static void copies(int *host) {
  cudaGraph_t g;
  cudaGraphNode_t in, put, get, out;
  int *a, *b;
  CHECK(cudaMalloc(&a, 16));
  CHECK(cudaMalloc(&b, 16));
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&in, g, nullptr, 0, a, host, 16, cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&put, g, &in, 1, table, a, 16, 0, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&get, g, &put, 1, b, table, 8, 8, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddMemcpyNode1D(&out, g, &get, 1, host + 4, b, 8, cudaMemcpyDeviceToHost));
  cudaGraphExec_t x = made(g);
  auto expect = [&](std::vector<int> want) {
    for (int i = 0; i < 4; i++) host[i] = i + 1, host[i + 4] = -1;
    run(x);
    for (int i = 0; i < 4; i++) EXPECT(host[i + 4] == want[i]);
  };
  expect({3, 4, -1, -1});
  // In what has been made of the graph; the graph stays.
  CHECK(cudaGraphExecMemcpyNodeSetParams1D(x, in, a, host + 1, 12, cudaMemcpyHostToDevice));
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(x, put, table, a, 8, 8, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, get, b, table, 16, 0, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphExecMemcpyNodeSetParams1D(x, out, host + 4, b, 16, cudaMemcpyDeviceToHost));
  expect({1, 2, 2, 3});
  CHECK(cudaGraphExecDestroy(x));
  x = made(g);
  expect({3, 4, -1, -1});
  CHECK(cudaGraphExecDestroy(x));
  // In the graph.
  CHECK(cudaGraphMemcpyNodeSetParams1D(in, a, host, 12, cudaMemcpyHostToDevice));
  CHECK(cudaGraphMemcpyNodeSetParamsToSymbol(put, table, a, 8, 4, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(get, b, table, 12, 4, cudaMemcpyDeviceToDevice));
  cudaMemcpy3DParms c = {};
  CHECK(cudaGraphMemcpyNodeGetParams(out, &c));
  EXPECT(c.srcPtr.ptr == b && c.dstPtr.ptr == host + 4 && c.extent.width == 8 && c.extent.height == 1 && c.kind == cudaMemcpyDeviceToHost);
  c.extent.width = 12;
  CHECK(cudaGraphMemcpyNodeSetParams(out, &c));
  x = made(g);
  expect({1, 2, 4, -1}); // 4, the symbol's last word, is of the run before
  CHECK(cudaGraphExecDestroy(x));
  EXPECT(cudaGraphMemcpyNodeSetParamsToSymbol(put, table, a, 8, 12, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue); // past its end
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

// Fills, host functions, and every kind by the general call.
static void parameters(int *host) {
  cudaGraph_t g, g2;
  cudaGraphNode_t fill, call, kernel, twin;
  int *a, one = 1, two = 2, by = 5, more = 50, zero = 0;
  CHECK(cudaMalloc(&a, 16));
  CHECK(cudaGraphCreate(&g, 0));
  cudaMemsetParams m = {a, 0, 7, 4, 4, 1};
  CHECK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
  cudaHostNodeParams h = {note, &one};
  CHECK(cudaGraphAddHostNode(&call, g, &fill, 1, &h));
  void *args[] = {&a, &by}, *others[] = {&a, &more}, *none[] = {&a, &zero};
  cudaKernelNodeParams k = {};
  k.func = (void *)add, k.gridDim = dim3(1), k.blockDim = dim3(4), k.kernelParams = args;
  CHECK(cudaGraphAddKernelNode(&kernel, g, &call, 1, &k));
  k.kernelParams = none;
  CHECK(cudaGraphAddKernelNode(&twin, g, &kernel, 1, &k));
  cudaMemsetParams m2 = {};
  CHECK(cudaGraphMemsetNodeGetParams(fill, &m2));
  EXPECT(m2.dst == a && m2.value == 7 && m2.elementSize == 4 && m2.width == 4);
  cudaHostNodeParams h2 = {};
  CHECK(cudaGraphHostNodeGetParams(call, &h2));
  EXPECT(h2.fn == note && h2.userData == &one);
  cudaGraphExec_t x = made(g);
  auto expect = [&](int want, int calls) {
    called = 0;
    run(x);
    CHECK(cudaMemcpy(host, a, 16, cudaMemcpyDefault));
    EXPECT(host[0] == want && host[3] == want && called == calls);
  };
  expect(12, 1);
  h.userData = &two;
  CHECK(cudaGraphExecHostNodeSetParams(x, call, &h));
  expect(12, 2);
  cudaGraphNodeParams any = {};
  any.type = cudaGraphNodeTypeMemset, any.memset.dst = a, any.memset.value = 9, any.memset.elementSize = 4, any.memset.width = 4, any.memset.height = 1;
  CHECK(cudaGraphExecNodeSetParams(x, fill, &any));
  expect(14, 2);
  any = {};
  any.type = cudaGraphNodeTypeKernel;
  any.kernel.func = (void *)add, any.kernel.gridDim = dim3(1), any.kernel.blockDim = dim3(4), any.kernel.kernelParams = others;
  CHECK(cudaGraphNodeSetParams(kernel, &any));
  expect(14, 2); // what has been made of the graph keeps its own
  CHECK(cudaGraphExecDestroy(x));
  m.value = 3;
  CHECK(cudaGraphMemsetNodeSetParams(fill, &m));
  CHECK(cudaGraphHostNodeSetParams(call, &h));
  x = made(g);
  expect(53, 2);
  any.type = cudaGraphNodeTypeHost;
  EXPECT(cudaGraphExecNodeSetParams(x, kernel, &any) != cudaSuccess); // another kind
  EXPECT(cudaGetLastError() != cudaSuccess);

  // Attributes of kernel nodes.
  cudaKernelNodeAttrValue v = {}, got = {};
  v.priority = -2;
  CHECK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &v));
  CHECK(cudaGraphKernelNodeCopyAttributes(twin, kernel));
  CHECK(cudaGraphKernelNodeGetAttribute(twin, cudaLaunchAttributePriority, &got));
  EXPECT(got.priority == -2);

  // Who is whose neighbour, and what each is called.
  unsigned on = 0, id = 0, id2 = 0, local = 0, local2 = 0;
  CHECK(cudaGraphNodeSetEnabled(x, kernel, 0));
  CHECK(cudaGraphNodeGetEnabled(x, kernel, &on));
  EXPECT(!on);
  expect(3, 2);
  CHECK(cudaGraphNodeSetEnabled(x, kernel, 1));
  CHECK(cudaGraphNodeGetEnabled(x, kernel, &on));
  EXPECT(on == 1);
  CHECK(cudaGraphNodeGetContainingGraph(kernel, &g2));
  EXPECT(g2 == g);
  cudaGraphNode_t next[2];
  size_t n = 2;
  CHECK(cudaGraphNodeGetDependentNodes(call, next, nullptr, &n));
  EXPECT(n == 1 && next[0] == kernel);
  CHECK(cudaGraphRemoveDependencies(g, &call, &kernel, nullptr, 1));
  CHECK(cudaGraphNodeGetDependentNodes(call, nullptr, nullptr, &n));
  EXPECT(n == 0);
  EXPECT(cudaGraphRemoveDependencies(g, &call, &kernel, nullptr, 1) == cudaErrorInvalidValue); // it is gone
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGraphClone(&g2, g));
  CHECK(cudaGraphGetId(g, &id));
  CHECK(cudaGraphGetId(g2, &id2));
  EXPECT(id != id2);
  CHECK(cudaGraphExecGetId(x, &id2));
  EXPECT(id != id2);
  unsigned long long tools = 0, tools2 = 0, flags = 1;
  CHECK(cudaGraphNodeGetLocalId(fill, &local));
  CHECK(cudaGraphNodeGetLocalId(kernel, &local2));
  CHECK(cudaGraphNodeGetToolsId(fill, &tools));
  CHECK(cudaGraphNodeGetToolsId(kernel, &tools2));
  EXPECT(local != local2 && tools != tools2);
  CHECK(cudaGraphExecGetFlags(x, &flags));
  EXPECT(flags == 0);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g2));
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaFree(a));
}

// Children and events.
static void inner(int *host) {
  cudaGraph_t g, child, got, other;
  cudaGraphNode_t node, record, wait, fill;
  cudaEvent_t first, second, e;
  int *a;
  CHECK(cudaMalloc(&a, 16));
  CHECK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&second, cudaEventDisableTiming));
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphCreate(&child, 0));
  cudaMemsetParams m = {a, 0, 4, 4, 4, 1};
  CHECK(cudaGraphAddMemsetNode(&fill, child, nullptr, 0, &m));
  CHECK(cudaGraphAddChildGraphNode(&node, g, nullptr, 0, child));
  CHECK(cudaGraphAddEventRecordNode(&record, g, &node, 1, first));
  CHECK(cudaGraphAddEventWaitNode(&wait, g, &record, 1, first));
  CHECK(cudaGraphChildGraphNodeGetGraph(node, &got));
  size_t n = 0;
  CHECK(cudaGraphGetNodes(got, nullptr, &n));
  EXPECT(n == 1 && got != child); // a copy of it
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &e));
  EXPECT(e == first);
  CHECK(cudaGraphEventWaitNodeGetEvent(wait, &e));
  EXPECT(e == first);
  cudaGraphExec_t x = made(g);
  auto expect = [&](int want) {
    run(x);
    CHECK(cudaMemcpy(host, a, 16, cudaMemcpyDefault));
    EXPECT(host[3] == want);
  };
  expect(4);
  m.value = 6;
  CHECK(cudaGraphClone(&other, child));
  CHECK(cudaGraphNodeFindInClone(&fill, fill, other));
  CHECK(cudaGraphMemsetNodeSetParams(fill, &m));
  CHECK(cudaGraphExecChildGraphNodeSetParams(x, node, other));
  CHECK(cudaGraphExecEventRecordNodeSetEvent(x, record, second));
  CHECK(cudaGraphExecEventWaitNodeSetEvent(x, wait, second));
  expect(6);
  CHECK(cudaEventSynchronize(second));
  CHECK(cudaGraphEventRecordNodeSetEvent(record, second));
  CHECK(cudaGraphEventWaitNodeSetEvent(wait, second));
  CHECK(cudaGraphEventWaitNodeGetEvent(wait, &e));
  EXPECT(e == second);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(other));
  CHECK(cudaGraphDestroy(child));
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaFree(a));
}

// Memory that a graph allocates and frees.
static void memory(int *host) {
  cudaGraph_t g;
  cudaGraphNode_t make, fill, kernel, out, end;
  CHECK(cudaGraphCreate(&g, 0));
  cudaMemAllocNodeParams p = {}, told = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  p.bytesize = 4096;
  CHECK(cudaGraphAddMemAllocNode(&make, g, nullptr, 0, &p));
  EXPECT(p.dptr);
  CHECK(cudaGraphMemAllocNodeGetParams(make, &told));
  EXPECT(told.dptr == p.dptr && told.bytesize == 4096);
  cudaMemsetParams m = {p.dptr, 0, 8, 4, 4, 1};
  CHECK(cudaGraphAddMemsetNode(&fill, g, &make, 1, &m));
  int by = 3;
  void *args[] = {&p.dptr, &by}, *freed = nullptr;
  cudaKernelNodeParams k = {};
  k.func = (void *)add, k.gridDim = dim3(1), k.blockDim = dim3(4), k.kernelParams = args;
  CHECK(cudaGraphAddKernelNode(&kernel, g, &fill, 1, &k));
  CHECK(cudaGraphAddMemcpyNode1D(&out, g, &kernel, 1, host, p.dptr, 16, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&end, g, &out, 1, p.dptr));
  CHECK(cudaGraphMemFreeNodeGetParams(end, &freed));
  EXPECT(freed == p.dptr);
  cudaGraphExec_t x = made(g);
  for (int i = 0; i < 3; i++) {
    memset(host, 0, 16);
    run(x);
    EXPECT(host[0] == 11 && host[3] == 11);
  }
  unsigned long long used = 1, high = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  EXPECT(high >= 4096);
  high = 0;
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  EXPECT(high == 0);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaDeviceGraphMemTrim(0));
  CHECK(cudaGraphDestroy(g));
}

// A capture whose next node waits for what the program says.
static void capture() {
  cudaStream_t s;
  cudaGraph_t g, running;
  cudaGraphNode_t own, nodes[2], before[2];
  cudaStreamCaptureStatus status;
  int *a, by = 1;
  CHECK(cudaMalloc(&a, 16));
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamGetCaptureInfo(s, &status, nullptr, &running, nullptr, nullptr, nullptr));
  CHECK(cudaGraphAddEmptyNode(&own, running, nullptr, 0));
  CHECK(cudaStreamUpdateCaptureDependencies(s, &own, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 4, 0, s>>>(a, by);
  CHECK(cudaStreamEndCapture(s, &g));
  size_t n = 2;
  CHECK(cudaGraphGetNodes(g, nodes, &n));
  EXPECT(n == 2);
  cudaGraphNode_t kernel = nodes[nodes[0] == own];
  CHECK(cudaGraphNodeGetDependencies(kernel, before, nullptr, &n));
  EXPECT(n == 1 && before[0] == own);
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(a));
}

int main() {
  int *host;
  CHECK(cudaMallocHost(&host, 64));
  copies(host);
  parameters(host);
  inner(host);
  memory(host);
  capture();
  return passed();
}
