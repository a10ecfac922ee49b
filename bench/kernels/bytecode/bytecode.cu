// An interpreter of eight instructions, a switch in a loop; each thread has its own data.
extern "C" __global__ void bytecode(const unsigned char *code, int *data, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int a = data[i], b = i;
  for (int pc = 0; pc < length; pc++)
    switch (code[pc]) {
    case 0: a += b; break;
    case 1: b ^= a; break;
    case 2: a *= 31; break;
    case 3: b = a >> 3; break;
    case 4: a -= 17; break;
    case 5: b = max(a, b); break;
    case 6: if (a & 1) pc++; break;
    default: a = ~a; break;
    }
  data[i] = a ^ b;
}
