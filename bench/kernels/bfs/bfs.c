#include "native.h"

void once(arg *a) {
  const int32_t *restrict next = S32(0);
  int32_t *restrict level = S32(1);
  int n = INT(3);
  for (int depth = 0; depth < 6; depth++)
    for (int v = 0; v < n; v++)
      if (level[v] == depth)
        for (int k = 0; k < 8; k++)
          if (level[next[v * 8 + k]] < 0)
            level[next[v * 8 + k]] = depth + 1;
}
