#!/usr/bin/env bash
# Compiles every NAME/NAME.cu, .clang.c and .py to NAME/NAME.ptx, byte for byte the same each time.
#
#   regenerate.sh [NAME…]     all, or those named; nvcc is $NVCC, else in PATH; clang $CLANG; Triton in PYTHONPATH
#
# Versions: nvcc and Triton as in .ci/requirements.txt, clang 22. The first line of each file says what made it.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang}
lines=$PWD/../../testdata/cuda/lineinfo.awk # names no files but ours
version=$("$nvcc" --version | sed -n 's/^Cuda compilation tools, //p')
scratch=$(mktemp)
trap 'rm -rf "$scratch"' EXIT
if [ $# -eq 0 ]; then set -- */; fi

# headed SOURCE COMMAND…: makes NAME.ptx of the scratch file, with a first line that says how it was made.
headed() {
  {
    echo "// ${*:2}"
    awk -v source="$1" -f "$lines" "$scratch" "$scratch"
  } >"$name.ptx"
}

for name in "${@%/}"; do
  (
    cd "$name"
    if [ -f "$name.cu" ]; then
      "$nvcc" -ptx -O3 -lineinfo -arch=sm_80 "$name.cu" -o "$scratch"
      headed "$name.cu" "nvcc $version: nvcc -ptx -O3 -lineinfo -arch=sm_80 $name.cu"
    elif [ -f "$name.clang.c" ] && ! command -v "$clang" >/dev/null; then
      echo "$name: no $clang here; $name.ptx stays" >&2
    elif [ -f "$name.clang.c" ]; then
      flags="--target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx80 -O3 -gline-tables-only"
      "$clang" $flags -S "$name.clang.c" -o "$scratch"
      headed "$name.clang.c" "$("$clang" --version | sed -n '1s/.*clang version \([0-9.]*\).*/clang \1/p'): clang $flags -S $name.clang.c"
    else
      TRITON_CACHE_DIR=$(mktemp -d) TRITON_DEFAULT_FP_FUSION=1 PYTHONDONTWRITEBYTECODE=1 python3 "$name.py"
      sed '/^\t\.section\t\.debug_\(abbrev\|info\)/,/^\t}/d' "$name.ptx" >"$scratch" # debug data besides the lines names folders
      headed "$name.py" "triton $(python3 -c 'import triton; print(triton.__version__)'): python3 $name.py"
    fi
  )
done
