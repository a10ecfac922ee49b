// Lock-free pushes on one list; the last block to finish (counted after __threadfence) walks it.
struct Node {
  unsigned value;
  int next;
};

__device__ int blocksDone;

__device__ void push(Node *nodes, int *head, int self) {
  int seen = *(volatile int *)head;
  for (;;) {
    nodes[self].next = seen;
    __threadfence();
    int old = atomicCAS(head, seen, self);
    if (old == seen)
      return;
    seen = old;
  }
}

// result = {length, sum of values, xor of the node numbers}
extern "C" __global__ void linkedlist(Node *nodes, int *head, const unsigned *values, int n, unsigned *result) {
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    nodes[i].value = values[i];
    push(nodes, head, i);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicAdd(&blocksDone, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last || threadIdx.x != 0)
    return;
  __threadfence();
  unsigned length = 0, sum = 0, mix = 0;
  for (int at = *(volatile int *)head; at >= 0; at = ((volatile Node *)nodes)[at].next) {
    length++;
    sum += ((volatile Node *)nodes)[at].value;
    mix ^= at;
  }
  result[0] = length, result[1] = sum, result[2] = mix;
}
