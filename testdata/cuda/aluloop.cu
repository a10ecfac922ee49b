// Long straight integer arithmetic in every lane: the interpreter's 32-bit ALU figure.
extern "C" __global__ void aluloop(unsigned *out, unsigned rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = i * 2654435761u + 1, b = i ^ 0x9e3779b9u, c = ~i, d = i + 7;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      a = (a + b) ^ (c >> 3);
      b = (b - d) | (a << 5);
      c = (c ^ a) + d;
      d = (d & b) - (c ^ 0x55555555u);
    }
  }
  out[i] = a ^ b ^ c ^ d;
}
