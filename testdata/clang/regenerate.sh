#!/usr/bin/env bash
# Compiles every NAME.c here to NAME.ptx with clang 19 ($CLANG, else clang); the first line of each file says how.
set -euo pipefail
cd "$(dirname "$0")"
clang=${CLANG:-clang}
version=$("$clang" --version | sed -n '1s/.*clang version \([0-9.]*\).*/\1/p')
for source in *.c; do
  flags="--target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature -Xclang +ptx80 -O2 -gline-tables-only -fdebug-compilation-dir=."
  "$clang" $flags -S "$source" -o - | { echo "// clang $version: clang $flags -S $source"; sed 's#^\(\t\.file\t1 \)"\./#\1"#'; } >"${source%.c}.ptx"
done
