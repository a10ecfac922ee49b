#!/usr/bin/env bash
# Compiles NAME/NAME.cu, .c and .py to NAME/NAME.ptx, byte for byte the same each time.
#
#   regenerate.sh [PIP_TARGET]     nvcc and Triton are below PIP_TARGET, else in PATH and PYTHONPATH; clang is $CLANG, else clang
#
# Versions: nvcc and Triton as in .ci/requirements.txt, clang 19. The first line of each file says what made it.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang}
if [ $# -gt 0 ]; then
  nvcc=$1/nvidia/cu13/bin/nvcc
  export PYTHONPATH=$1${PYTHONPATH:+:$PYTHONPATH}
fi
lines=$PWD/../testdata/cuda/lineinfo.awk # names no files but ours

# headed SOURCE COMMAND…: the PTX on standard input, behind a line that says what made it.
headed() {
  local source=$1
  shift
  echo "// $*"
  cat >"$scratch"
  awk -v source="$source" -f "$lines" "$scratch" "$scratch"
}

scratch=$(mktemp)
trap 'rm -rf "$scratch"' EXIT
for source in */*.cu */*.c */*.py; do
  file=${source#*/} name=${source%%/*}
  (
    cd "$name"
    case $file in
    *.cu)
      "$nvcc" -ptx -O3 -lineinfo -arch=sm_90 "$file" -o "$name.new"
      headed "$file" "nvcc $("$nvcc" --version | sed -n 's/^Cuda compilation tools, //p'): nvcc -ptx -O3 -lineinfo -arch=sm_90 $file" <"$name.new" >"$name.ptx"
      ;;
    *.c)
      "$clang" --target=nvptx64-nvidia-cuda -march=sm_90 -Xclang -target-feature -Xclang +ptx80 -O2 -gline-tables-only -S "$file" -o "$name.new"
      headed "$file" "$("$clang" --version | sed -n '1s/.*clang version \([0-9.]*\).*/clang \1/p'): clang --target=nvptx64-nvidia-cuda -march=sm_90 -Xclang -target-feature -Xclang +ptx80 -O2 -gline-tables-only -S $file" <"$name.new" >"$name.ptx"
      ;;
    *.py)
      TRITON_CACHE_DIR=$(mktemp -d) TRITON_DEFAULT_FP_FUSION=1 python3 "$file"
      # Debug data besides the lines name folders.
      sed '/^\t\.section\t\.debug_\(abbrev\|info\)/,/^\t}/d' "$name.ptx" >"$name.new"
      headed "$file" "triton $(python3 -c 'import triton; print(triton.__version__)'): python3 $file" <"$name.new" >"$name.ptx"
      ;;
    esac
    rm "$name.new"
  )
done
