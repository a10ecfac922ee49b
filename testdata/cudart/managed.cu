// Managed memory: structures with pointers, advice, prefetching, memory of a stream, host and device in turn.
#include "check.h"

struct Node { int value; Node *next; };
__global__ void sum(const Node *list, int *out) { int s = 0; for (; list; list = list->next) s += list->value; *out = s; }
__global__ void add(Node *list, int by) { for (; list; list = list->next) list->value += by; }
__global__ void link(Node *nodes, Node **head, int n) { for (int i = n - 1; i >= 0; i--) { nodes[i].next = *head; *head = &nodes[i]; } }
__managed__ Node *head;
__managed__ int limits[2] = {3, 4};
__device__ __managed__ double scale = 0.5;
__device__ float table[16];
__global__ void halve(double *p) { *p *= scale; limits[0]++; }

int main() {
  EXPECT(limits[0] == 3 && limits[1] == 4 && scale == 0.5);
  const int n = 100;
  Node *nodes;
  int *out;
  CHECK(cudaMallocManaged(&nodes, n * sizeof(Node)));
  CHECK(cudaMallocManaged(&out, sizeof(int), cudaMemAttachGlobal));
  for (int i = 0; i < n; i++) nodes[i] = {i, nullptr};
  cudaMemLocation where = {cudaMemLocationTypeDevice, {0}};
  CHECK(cudaMemAdvise(nodes, n * sizeof(Node), cudaMemAdviseSetReadMostly, where));
  CHECK(cudaMemAdvise(nodes, n * sizeof(Node), cudaMemAdviseSetPreferredLocation, where));
  CHECK(cudaMemPrefetchAsync(nodes, n * sizeof(Node), where, 0, 0));
  EXPECT(cudaMemPrefetchAsync(nodes, n * sizeof(Node) + 1, where, 0, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
  head = nullptr;
  link<<<1, 1>>>(nodes, &head, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(head == nodes && nodes[0].next == &nodes[1]);
  for (int round = 0; round < 5; round++) {
    add<<<1, 1>>>(head, 1);
    sum<<<1, 1>>>(head, out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == n * (n - 1) / 2 + n * (2 * round + 1));
    for (Node *p = head; p; p = p->next) p->value++; // the host's turn
  }
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  double *d;
  CHECK(cudaMallocManaged(&d, sizeof(double), cudaMemAttachHost));
  CHECK(cudaStreamAttachMemAsync(s, d, 0, cudaMemAttachSingle));
  CHECK(cudaStreamSynchronize(s));
  *d = 8;
  scale = 0.25;
  halve<<<1, 1, 0, s>>>(d);
  CHECK(cudaStreamSynchronize(s));
  EXPECT(*d == 2 && limits[0] == 4);
  int mostly = 7;
  CHECK(cudaMemRangeGetAttribute(&mostly, sizeof mostly, cudaMemRangeAttributeReadMostly, nodes, n * sizeof(Node)));
  EXPECT(mostly == 0 || mostly == 1);
  // Variables of modules are memory like other memory, but for its end.
  cudaPointerAttributes of;
  void *at;
  CHECK(cudaStreamAttachMemAsync(s, limits));
  CHECK(cudaMemAdvise(limits, sizeof limits, cudaMemAdviseSetReadMostly, where));
  CHECK(cudaMemPrefetchAsync(limits, sizeof limits, where, 0, s));
  EXPECT(cudaMemPrefetchAsync(limits, sizeof limits + 1, where, 0, s) == cudaErrorInvalidValue);
  CHECK(cudaPointerGetAttributes(&of, limits + 1));
  EXPECT(of.type == cudaMemoryTypeManaged && of.device == 0 && of.devicePointer == limits + 1 && of.hostPointer == limits + 1);
  CHECK(cudaGetSymbolAddress(&at, table));
  CHECK(cudaPointerGetAttributes(&of, at));
  EXPECT(of.type == cudaMemoryTypeDevice && of.devicePointer == at && !of.hostPointer);
  EXPECT(cudaFree(at) == cudaErrorInvalidValue && cudaFree(limits) == cudaErrorInvalidValue && cudaFreeAsync(at, s) == cudaErrorInvalidValue);
  EXPECT(cudaMallocManaged(&d, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaFree(nodes));
  return passed();
}
