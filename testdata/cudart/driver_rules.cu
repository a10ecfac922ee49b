// What graphs of the driver API refuse, and what they say of it: circles, lists without room, flags, updates, nodes that cannot be off.
// flags: -lcuda -std=c++17 -Xcompiler -Wno-deprecated-declarations
#include "driver.h"
#include <cstring>

extern "C" CUresult instantiate2(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) __asm__("cuGraphInstantiate_v2");

int main() {
  CUcontext c = begin();
  CUdeviceptr word;
  CUgraph g;
  CUgraphNode a, b, tail, at;
  CUgraphExec x;
  DO(cuMemAlloc(&word, 4));
  DO(cuGraphCreate(&g, 0));
  CUDA_MEMSET_NODE_PARAMS m = {};
  m.dst = word, m.value = 5, m.elementSize = 4, m.width = 1, m.height = 1;
  DO(cuGraphAddMemsetNode(&a, g, nullptr, 0, &m, c));
  DO(cuGraphAddEmptyNode(&b, g, &a, 1));
  DO(cuGraphAddEmptyNode(&tail, g, &b, 1));

  // Lists: how much room there is, is said once for nodes and data.
  CUgraphEdgeData data[2];
  size_t n = 0;
  memset(data, 0x55, sizeof data);
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphGetEdges(g, nullptr, nullptr, data, &n));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphGetEdges(g, &at, nullptr, nullptr, &n));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetDependencies(b, nullptr, data, &n));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetDependentNodes(b, nullptr, data, &n));
  EXPECT(data[0].from_port == 0x55 && n == 0);

  // A circle is told by one of its nodes, not by one behind it.
  DO(cuGraphAddDependencies(g, &b, &a, nullptr, 1));
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&x, g, &how));
  EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE && (how.hErrNode_out == a || how.hErrNode_out == b));
  at = nullptr;
  WANT(CUDA_ERROR_INVALID_VALUE, instantiate2(&x, g, &at, nullptr, 0));
  EXPECT(at == a || at == b);
  DO(cuGraphRemoveDependencies(g, &b, &a, nullptr, 1));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&x, (CUgraph)12345, &how));
  EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_ERROR && !how.hErrNode_out);

  // Flags: an upload is part of the call, in the stream that only the structure names.
  cuuint64_t flags;
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&x, g, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&x, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
  how = {};
  how.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  DO(cuGraphInstantiateWithParams(&x, g, &how));
  DO(cuGraphExecGetFlags(x, &flags));
  EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS && flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
  CUstream s;
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  DO(cuGraphUpload(x, s));
  DO(cuStreamDestroy(s));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuGraphUpload(x, s));

  // Updates, and nodes that are always on.
  CUgraphExecUpdateResultInfo info = {};
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecUpdate(x, (CUgraph)12345, &info));
  EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_ERROR);
  unsigned on = 7;
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(x, b, 0));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetEnabled(x, b, &on));
  EXPECT(on == 7);
  unsigned long long id = 7;
  DO(cuGraphDestroyNode(tail));
  WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetToolsId(tail, &id));
  EXPECT(id == 7);
  DO(cuGraphExecDestroy(x));
  DO(cuGraphDestroy(g));
  DO(cuMemFree(word));
  return ended();
}
