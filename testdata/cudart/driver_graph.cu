// Graphs of the driver API: nodes of each kind, what they say, what of them changes, in the graph and in what is made of it.
// flags: -lcuda -std=c++17 -Xcompiler -Wno-deprecated-declarations
#include "driver.h"
#include <cstring>
#include <string>
#include <unistd.h>

// Names that the header gives to newer functions.
extern "C" {
CUresult instantiate1(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) __asm__("cuGraphInstantiate");
CUresult instantiate2(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) __asm__("cuGraphInstantiate_v2");
CUresult kernel1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__("cuGraphAddKernelNode");
CUresult kernelGet1(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__("cuGraphKernelNodeGetParams");
CUresult kernelSet1(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__("cuGraphKernelNodeSetParams");
CUresult execKernelSet1(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *) __asm__("cuGraphExecKernelNodeSetParams");
CUresult edges1(CUgraph, CUgraphNode *, CUgraphNode *, size_t *) __asm__("cuGraphGetEdges");
CUresult before1(CUgraphNode, CUgraphNode *, size_t *) __asm__("cuGraphNodeGetDependencies");
CUresult after1(CUgraphNode, CUgraphNode *, size_t *) __asm__("cuGraphNodeGetDependentNodes");
CUresult link1(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t) __asm__("cuGraphAddDependencies");
CUresult unlink1(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t) __asm__("cuGraphRemoveDependencies");
CUresult add1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *) __asm__("cuGraphAddNode");
CUresult add3(CUgraphNode *, CUgraph, const CUgraphNode *, const CUgraphEdgeData *, size_t, CUgraphNodeParams *) __asm__("cuGraphAddNode_v3");
CUresult set2(CUgraphNode, CUgraphNodeParams *) __asm__("cuGraphNodeSetParams_v2");
CUresult update1(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *) __asm__("cuGraphExecUpdate");
}

__global__ void add(int *p, int by) { p[threadIdx.x] = p[threadIdx.x] * 10 + by; }

static CUcontext context;
static CUfunction function;
static CUdeviceptr words; // 4 of them
static int called;
static void CUDA_CB note(void *by) { called = called * 10 + *(int *)by; }

static CUgraphExec made(CUgraph g) {
  CUgraphExec x;
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  DO(cuGraphInstantiateWithParams(&x, g, &how));
  EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
  return x;
}

// ran launches a graph and returns the first word, which was 0.
static int ran(CUgraphExec x) {
  int v;
  DO(cuMemsetD32(words, 0, 4));
  DO(cuGraphUpload(x, 0));
  DO(cuGraphLaunch(x, 0));
  DO(cuMemcpyDtoH(&v, words, 4));
  return v;
}

static int once(CUgraph g) {
  CUgraphExec x = made(g);
  int v = ran(x);
  DO(cuGraphExecDestroy(x));
  return v;
}

struct Adding {
  int by;
  CUdeviceptr p = words;
  void *list[2] = {&p, &by};
  explicit Adding(int by) : by(by) {}
  template <class P> P params() {
    P k = {};
    k.func = function, k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1, k.kernelParams = list;
    return k;
  }
};

// Kernels: by the older and the newer structure.
static void kernels() {
  CUgraph g;
  CUgraphNode a, b;
  Adding one(1), two(2), three(3);
  DO(cuGraphCreate(&g, 0));
  auto k1 = one.params<CUDA_KERNEL_NODE_PARAMS_v1>(), g1 = k1;
  auto k2 = two.params<CUDA_KERNEL_NODE_PARAMS>(), g2 = k2;
  DO(kernel1(&a, g, nullptr, 0, &k1));
  DO(cuGraphAddKernelNode(&b, g, &a, 1, &k2));
  CUgraphExec x = made(g);
  EXPECT(ran(x) == 12);
  DO(kernelGet1(b, &g1));
  EXPECT(g1.func == function && g1.blockDimX == 1 && *(int *)g1.kernelParams[1] == 2);
  DO(cuGraphKernelNodeGetParams(a, &g2));
  EXPECT(g2.func == function && g2.gridDimX == 1 && *(int *)g2.kernelParams[1] == 1 && *(CUdeviceptr *)g2.kernelParams[0] == words);
  auto k3 = three.params<CUDA_KERNEL_NODE_PARAMS>();
  auto k31 = three.params<CUDA_KERNEL_NODE_PARAMS_v1>();
  DO(execKernelSet1(x, a, &k31));
  EXPECT(ran(x) == 32 && once(g) == 12);
  DO(cuGraphExecKernelNodeSetParams(x, b, &k3));
  EXPECT(ran(x) == 33 && once(g) == 12);
  DO(kernelSet1(a, &k31));
  EXPECT(once(g) == 32);
  DO(cuGraphKernelNodeSetParams(b, &k3));
  EXPECT(once(g) == 33);
  DO(cuGraphNodeSetEnabled(x, a, 0));
  unsigned on;
  DO(cuGraphNodeGetEnabled(x, a, &on));
  EXPECT(on == 0 && ran(x) == 3);
  DO(cuGraphNodeSetEnabled(x, a, 1));
  EXPECT(ran(x) == 33);
  CUkernelNodeAttrValue set = {}, got = {};
  set.priority = -2;
  DO(cuGraphKernelNodeSetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &set));
  DO(cuGraphKernelNodeGetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &got));
  EXPECT(got.priority == -2);
  DO(cuGraphKernelNodeCopyAttributes(b, a));
  got.priority = 0;
  DO(cuGraphKernelNodeGetAttribute(b, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &got));
  EXPECT(got.priority == -2);
  unsigned long long tools[2];
  unsigned local[2], ids[2];
  CUgraph of;
  DO(cuGraphNodeGetToolsId(a, &tools[0]));
  DO(cuGraphNodeGetToolsId(b, &tools[1]));
  DO(cuGraphNodeGetLocalId(a, &local[0]));
  DO(cuGraphNodeGetLocalId(b, &local[1]));
  DO(cuGraphNodeGetContainingGraph(b, &of));
  EXPECT(tools[0] != tools[1] && local[0] != local[1] && of == g);
  DO(cuGraphGetId(g, &ids[0]));
  DO(cuGraphExecGetId(x, &ids[1]));
  EXPECT(ids[0] && ids[1]);
  cuuint64_t flags;
  DO(cuGraphExecGetFlags(x, &flags));
  EXPECT(flags == 0);
  DO(cuGraphExecDestroy(x));
  char log[64] = "x";
  DO(instantiate1(&x, g, nullptr, log, sizeof log));
  EXPECT(ran(x) == 33);
  DO(cuGraphExecDestroy(x));
  DO(instantiate2(&x, g, nullptr, nullptr, 0));
  EXPECT(ran(x) == 33);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroyNode(b));
  EXPECT(once(g) == 3);
  DO(cuGraphDestroy(g));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&a, nullptr, nullptr, 0, &k2));
}

// Edges, of which the older functions say no more than where they go.
static void order() {
  CUgraph g, copy;
  CUgraphNode n[3], found, list[4], from[4], to[4];
  size_t count;
  Adding kinds[3] = {Adding(1), Adding(2), Adding(3)};
  DO(cuGraphCreate(&g, 0));
  for (int i = 0; i < 3; i++) {
    auto k = kinds[i].params<CUDA_KERNEL_NODE_PARAMS>();
    DO(cuGraphAddKernelNode(&n[i], g, nullptr, 0, &k));
  }
  DO(link1(g, &n[2], &n[0], 1));
  DO(cuGraphAddDependencies(g, &n[0], &n[1], nullptr, 1));
  EXPECT(once(g) == 312);
  WANT(CUDA_ERROR_INVALID_VALUE, link1(g, &n[2], &n[0], 1)); // it is there
  count = 4;
  DO(edges1(g, from, to, &count));
  EXPECT(count == 2 && ((from[0] == n[2] && to[0] == n[0] && to[1] == n[1]) || (from[1] == n[2] && to[1] == n[0] && to[0] == n[1])));
  CUgraphEdgeData data[4];
  memset(data, 0xff, sizeof data);
  count = 4;
  DO(cuGraphGetEdges(g, from, to, data, &count));
  EXPECT(count == 2 && data[0].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT && data[1].from_port == 0);
  count = 4;
  DO(before1(n[0], list, &count));
  EXPECT(count == 1 && list[0] == n[2]);
  count = 4;
  DO(cuGraphNodeGetDependencies(n[1], list, data, &count));
  EXPECT(count == 1 && list[0] == n[0]);
  count = 4;
  DO(after1(n[0], list, &count));
  EXPECT(count == 1 && list[0] == n[1]);
  count = 4;
  DO(cuGraphNodeGetDependentNodes(n[2], list, data, &count));
  EXPECT(count == 1 && list[0] == n[0]);
  count = 4;
  DO(cuGraphGetRootNodes(g, list, &count));
  EXPECT(count == 1 && list[0] == n[2]);
  DO(unlink1(g, &n[2], &n[0], 1));
  DO(cuGraphRemoveDependencies(g, &n[0], &n[1], nullptr, 1));
  WANT(CUDA_ERROR_INVALID_VALUE, unlink1(g, &n[0], &n[1], 1));
  DO(cuGraphAddDependencies(g, &n[1], &n[0], nullptr, 1));
  DO(cuGraphAddDependencies(g, &n[0], &n[2], nullptr, 1));
  EXPECT(once(g) == 213);
  DO(cuGraphClone(&copy, g));
  DO(cuGraphNodeFindInClone(&found, n[1], copy));
  DO(cuGraphDestroyNode(found));
  EXPECT(once(copy) == 13 && once(g) == 213);
  char path[] = "/tmp/driver_graph.XXXXXX";
  int f = mkstemp(path);
  EXPECT(f >= 0);
  close(f);
  DO(cuGraphDebugDotPrint(g, path, 0));
  FILE *dot = fopen(path, "r");
  char head[8] = {};
  EXPECT(dot && fread(head, 1, 7, dot) == 7 && !strcmp(head, "digraph"));
  fclose(dot);
  unlink(path);

  // An update takes what fits.
  CUgraphExec x = made(g);
  CUgraphExecUpdateResult result;
  CUgraphExecUpdateResultInfo info;
  CUgraphNode at;
  Adding nine(9);
  auto k = nine.params<CUDA_KERNEL_NODE_PARAMS>();
  DO(cuGraphKernelNodeSetParams(n[0], &k));
  DO(update1(x, g, &at, &result));
  EXPECT(result == CU_GRAPH_EXEC_UPDATE_SUCCESS && ran(x) == 293);
  WANT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(x, copy, &info));
  EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED && ran(x) == 293);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(copy));
  DO(cuGraphDestroy(g));
}

// Copies, fills and host functions.
static void others() {
  CUgraph g;
  CUgraphNode fill, copy, host, empty;
  int got[4] = {}, seven = 7, eight = 8;
  DO(cuGraphCreate(&g, 0));
  CUDA_MEMSET_NODE_PARAMS m = {}, toldFill = {};
  m.dst = words, m.value = 5, m.elementSize = 4, m.width = 3, m.height = 1;
  DO(cuGraphAddMemsetNode(&fill, g, nullptr, 0, &m, context));
  DO(cuGraphAddEmptyNode(&empty, g, &fill, 1));
  CUDA_MEMCPY3D c = {}, toldCopy = {};
  c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = words, c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = got;
  c.WidthInBytes = 16, c.Height = c.Depth = 1;
  DO(cuGraphAddMemcpyNode(&copy, g, &empty, 1, &c, context));
  CUDA_HOST_NODE_PARAMS h = {note, &seven}, toldHost = {};
  DO(cuGraphAddHostNode(&host, g, &copy, 1, &h));
  CUgraphExec x = made(g);
  called = 0;
  ran(x);
  EXPECT(got[0] == 5 && got[2] == 5 && got[3] == 0 && called == 7);
  DO(cuGraphMemsetNodeGetParams(fill, &toldFill));
  EXPECT(toldFill.dst == words && toldFill.value == 5 && toldFill.width == 3 && toldFill.elementSize == 4);
  DO(cuGraphMemcpyNodeGetParams(copy, &toldCopy));
  EXPECT(toldCopy.WidthInBytes == 16 && toldCopy.dstMemoryType == CU_MEMORYTYPE_HOST && toldCopy.dstHost == got && toldCopy.srcDevice == words);
  DO(cuGraphHostNodeGetParams(host, &toldHost));
  EXPECT(toldHost.fn == note && toldHost.userData == &seven);
  m.value = 6, m.width = 4, h.userData = &eight, c.WidthInBytes = 8;
  DO(cuGraphExecMemsetNodeSetParams(x, fill, &m, context));
  DO(cuGraphExecHostNodeSetParams(x, host, &h));
  DO(cuGraphExecMemcpyNodeSetParams(x, copy, &c, context));
  memset(got, 0, sizeof got);
  ran(x);
  EXPECT(got[0] == 6 && got[1] == 6 && got[2] == 0 && called == 78);
  once(g);
  EXPECT(got[0] == 5 && got[2] == 5 && got[3] == 0 && called == 787);
  DO(cuGraphMemsetNodeSetParams(fill, &m));
  DO(cuGraphHostNodeSetParams(host, &h));
  DO(cuGraphMemcpyNodeSetParams(copy, &c));
  once(g);
  EXPECT(got[0] == 6 && got[1] == 6 && got[2] == 5 && called == 7878);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));
}

// Graphs in graphs, events, memory.
static void inner() {
  CUgraph g, child, child2, told;
  CUgraphNode n, record, wait, alloc, release, kernel;
  CUevent e, e2, now;
  DO(cuEventCreate(&e, 0));
  DO(cuEventCreate(&e2, 0));
  Adding one(1), two(2);
  auto k1 = one.params<CUDA_KERNEL_NODE_PARAMS>(), k2 = two.params<CUDA_KERNEL_NODE_PARAMS>();
  DO(cuGraphCreate(&child, 0));
  DO(cuGraphCreate(&child2, 0));
  DO(cuGraphCreate(&g, 0));
  DO(cuGraphAddKernelNode(&kernel, child, nullptr, 0, &k1));
  DO(cuGraphAddKernelNode(&kernel, child2, nullptr, 0, &k2));
  DO(cuGraphAddChildGraphNode(&n, g, nullptr, 0, child));
  DO(cuGraphChildGraphNodeGetGraph(n, &told));
  EXPECT(told != child); // a copy
  CUgraphExec x = made(g);
  EXPECT(ran(x) == 1);
  DO(cuGraphExecChildGraphNodeSetParams(x, n, child2));
  EXPECT(ran(x) == 2 && once(g) == 1);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphAddEventRecordNode(&record, g, &n, 1, e));
  DO(cuGraphAddEventWaitNode(&wait, g, &record, 1, e));
  DO(cuGraphEventRecordNodeGetEvent(record, &now));
  EXPECT(now == e);
  DO(cuGraphEventWaitNodeGetEvent(wait, &now));
  EXPECT(now == e);
  x = made(g);
  EXPECT(ran(x) == 1);
  DO(cuEventQuery(e));
  float ms;
  WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, e, e2)); // never recorded
  DO(cuGraphExecEventRecordNodeSetEvent(x, record, e2));
  DO(cuGraphExecEventWaitNodeSetEvent(x, wait, e2));
  EXPECT(ran(x) == 1);
  DO(cuEventElapsedTime(&ms, e, e2));
  EXPECT(ms > 0);
  DO(cuGraphEventRecordNodeSetEvent(record, e2));
  DO(cuGraphEventWaitNodeSetEvent(wait, e2));
  DO(cuGraphEventRecordNodeGetEvent(record, &now));
  EXPECT(now == e2);
  DO(cuGraphEventWaitNodeGetEvent(wait, &now));
  EXPECT(now == e2 && once(g) == 1);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));
  DO(cuGraphDestroy(child));
  DO(cuGraphDestroy(child2));
  DO(cuEventDestroy(e));
  DO(cuEventDestroy(e2));

  // Memory that lives while the graph runs.
  DO(cuGraphCreate(&g, 0));
  CUDA_MEM_ALLOC_NODE_PARAMS a = {}, toldAlloc = {};
  a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, a.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, a.bytesize = 1 << 20;
  DO(cuGraphAddMemAllocNode(&alloc, g, nullptr, 0, &a));
  EXPECT(a.dptr != 0);
  CUDA_MEMSET_NODE_PARAMS m = {};
  m.dst = a.dptr, m.value = 4, m.elementSize = 4, m.width = 1, m.height = 1;
  CUgraphNode fill, copy;
  DO(cuGraphAddMemsetNode(&fill, g, &alloc, 1, &m, context));
  CUDA_MEMCPY3D c = {};
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = a.dptr, c.dstDevice = words, c.WidthInBytes = 4, c.Height = c.Depth = 1;
  DO(cuGraphAddMemcpyNode(&copy, g, &fill, 1, &c, context));
  DO(cuGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
  DO(cuGraphMemAllocNodeGetParams(alloc, &toldAlloc));
  EXPECT(toldAlloc.bytesize == 1 << 20 && toldAlloc.dptr == a.dptr);
  CUdeviceptr freed;
  DO(cuGraphMemFreeNodeGetParams(release, &freed));
  EXPECT(freed == a.dptr);
  CUgraph copied;
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr)); // it is freed there
  WANT(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&copied, g));
  WANT(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(copy));
  x = made(g);
  WANT(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&x, g, 0)); // one at a time
  EXPECT(ran(x) == 4 && ran(x) == 4);
  cuuint64_t used, high;
  DO(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  DO(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
  EXPECT(used == 0 && high >= 1 << 20);
  high = 0;
  DO(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
  DO(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
  EXPECT(high == 0);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));
  DO(cuDeviceGraphMemTrim(0));
  DO(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &used));
  EXPECT(used == 0);
}

// Nodes by the structure of all kinds; conditions; objects that graphs keep.
static void any() {
  CUgraph g;
  CUgraphNode n[4];
  Adding one(1), two(2), three(3);
  DO(cuGraphCreate(&g, 0));
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_KERNEL, p.kernel = one.params<CUDA_KERNEL_NODE_PARAMS_v3>();
  DO(add1(&n[0], g, nullptr, 0, &p));
  p.kernel = two.params<CUDA_KERNEL_NODE_PARAMS_v3>();
  DO(cuGraphAddNode(&n[1], g, &n[0], nullptr, 1, &p));
  p.kernel = three.params<CUDA_KERNEL_NODE_PARAMS_v3>();
  DO(add3(&n[2], g, &n[1], nullptr, 1, &p));
  CUgraphExec x = made(g);
  EXPECT(ran(x) == 123);
  DO(cuGraphNodeSetParams(n[0], &p));
  EXPECT(once(g) == 323);
  DO(set2(n[1], &p));
  EXPECT(once(g) == 333);
  DO(cuGraphExecNodeSetParams(x, n[1], &p));
  EXPECT(ran(x) == 133);
  CUgraphNodeParams told = {};
  DO(cuGraphNodeGetParams(n[0], &told));
  EXPECT(told.type == CU_GRAPH_NODE_TYPE_KERNEL && told.kernel.func == function && *(int *)told.kernel.kernelParams[1] == 3);

  // A graph that moves into another is its node's.
  CUgraph outer, inner;
  CUgraphNode node;
  DO(cuGraphCreate(&outer, 0));
  DO(cuGraphCreate(&inner, 0));
  auto k2 = two.params<CUDA_KERNEL_NODE_PARAMS>();
  DO(cuGraphAddKernelNode(&node, inner, nullptr, 0, &k2));
  CUgraphNodeParams child = {};
  child.type = CU_GRAPH_NODE_TYPE_GRAPH, child.graph.graph = inner, child.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  DO(cuGraphAddNode(&node, outer, nullptr, nullptr, 0, &child));
  EXPECT(once(outer) == 2);
  DO(cuGraphNodeGetParams(node, &told));
  EXPECT(told.graph.graph == inner && told.graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID);
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(inner));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, outer, nullptr, nullptr, 0, &child));
  DO(cuGraphDestroy(outer));

  CUgraphConditionalHandle h;
  DO(cuGraphConditionalHandleCreate(&h, g, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams cond = {};
  cond.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, cond.conditional.handle = h, cond.conditional.type = CU_GRAPH_COND_TYPE_IF, cond.conditional.size = 1, cond.conditional.ctx = context;
  DO(cuGraphAddNode(&n[3], g, &n[2], nullptr, 1, &cond));
  CUgraphNode body;
  auto k = one.params<CUDA_KERNEL_NODE_PARAMS>();
  DO(cuGraphAddKernelNode(&body, cond.conditional.phGraph_out[0], nullptr, 0, &k));
  EXPECT(once(g) == 3331);

  CUuserObject object;
  int five = 5;
  called = 0;
  DO(cuUserObjectCreate(&object, &five, note, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  DO(cuUserObjectRetain(object, 2));
  DO(cuGraphRetainUserObject(g, object, 2, 0));
  DO(cuUserObjectRelease(object, 3));
  EXPECT(called == 0);
  DO(cuGraphReleaseUserObject(g, object, 1));
  EXPECT(called == 0);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));
  for (int i = 0; i < 1000 && !called; i++) usleep(1000);
  EXPECT(called == 5);
}

int main() {
  context = begin();
  CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
  DO(cuMemAlloc(&words, 16));
  kernels();
  order();
  others();
  inner();
  any();
  DO(cuMemFree(words));
  return ended();
}
