// User objects: they live as long as the program or a graph, a clone or an executable graph refers to them.
// flags: -std=c++17
#include "check.h"
#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<int> gone{0};
static void CUDART_CB end(void *p) { gone += *(int *)p; }

// settled tells whether so many have ended: the runtime ends them beside the program.
static bool settled(int want) {
  for (int i = 0; i < 2000 && gone != want; i++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return gone == want;
}

static cudaUserObject_t object(int *p, unsigned refs) {
  cudaUserObject_t o;
  CHECK(cudaUserObjectCreate(&o, p, end, refs, cudaUserObjectNoDestructorSync));
  return o;
}

int main() {
  int one = 1, ten = 10, hundred = 100, thousand = 1000;

  cudaUserObject_t o = object(&one, 2); // of the program alone
  CHECK(cudaUserObjectRetain(o, 1));
  CHECK(cudaUserObjectRelease(o, 2));
  EXPECT(gone == 0);
  CHECK(cudaUserObjectRelease(o, 1));
  EXPECT(settled(1));
  EXPECT(cudaUserObjectRelease(o, 1) == cudaErrorInvalidValue);

  cudaGraph_t g, clone;
  CHECK(cudaGraphCreate(&g, 0));
  cudaGraphNode_t n;
  CHECK(cudaGraphAddEmptyNode(&n, g, nullptr, 0));
  o = object(&ten, 1); // moved into a graph, and held by its clone and by what is launched
  CHECK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
  EXPECT(cudaUserObjectRelease(o, 1) == cudaErrorInvalidValue); // the program has none any more
  CHECK(cudaGraphClone(&clone, g));
  cudaGraphExec_t x;
  CHECK(cudaGraphInstantiate(&x, g, 0));
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphDestroy(clone));
  EXPECT(gone == 1);
  CHECK(cudaGraphExecDestroy(x));
  EXPECT(settled(11));

  CHECK(cudaGraphCreate(&g, 0)); // of a graph that is a node of another
  CHECK(cudaGraphCreate(&clone, 0));
  o = object(&hundred, 1);
  CHECK(cudaGraphRetainUserObject(g, o, 3, 0));
  EXPECT(cudaGraphReleaseUserObject(g, o, 4) == cudaErrorInvalidValue);
  CHECK(cudaGraphReleaseUserObject(g, o, 1));
  CHECK(cudaUserObjectRelease(o, 1));
  CHECK(cudaGraphAddChildGraphNode(&n, clone, nullptr, 0, g));
  CHECK(cudaGraphDestroy(g));
  EXPECT(gone == 11);
  CHECK(cudaGraphDestroyNode(n));
  EXPECT(settled(111));
  CHECK(cudaGraphDestroy(clone));

  EXPECT(cudaUserObjectCreate(&o, &thousand, end, 1, 0) == cudaErrorInvalidValue);
  EXPECT(cudaUserObjectCreate(&o, &thousand, end, 0, cudaUserObjectNoDestructorSync) == cudaErrorInvalidValue);
  EXPECT(cudaUserObjectCreate(&o, &thousand, nullptr, 1, cudaUserObjectNoDestructorSync) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue && gone == 111);
  return passed();
}
