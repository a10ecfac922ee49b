// How often a word of four letters begins at a place of each line of 64 characters.
extern "C" __global__ void strfind(const char *text, const char *word, int *count, int lines) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines)
    return;
  int n = 0;
  for (int i = 0; i <= 60; i++) {
    int k = 0;
    while (k < 4 && text[l * 64 + i + k] == word[k])
      k++;
    n += k == 4;
  }
  count[l] = n;
}
