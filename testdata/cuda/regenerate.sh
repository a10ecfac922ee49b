#!/usr/bin/env bash
# Compiles every NAME.cu here to NAME.sm_75.ptx and NAME.sm_90.ptx (one with clusters, stmatrix or mma.sp to the latter alone, one with wgmma for sm_90a, one with tcgen05 for sm_100a alone), byte for byte the same each time.
#
#   regenerate.sh [PIP_TARGET]     nvcc is PIP_TARGET/nvidia/cu13/bin/nvcc, else $NVCC, else the one in PATH
#   OUT=DIR regenerate.sh …        writes into DIR instead of beside the sources
#
# The packages and their versions stand in .ci/requirements.txt; nvcc also needs a host compiler (g++).
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
if [ $# -gt 0 ]; then nvcc=$1/nvidia/cu13/bin/nvcc; fi
out=${OUT:-.}
version=$("$nvcc" --version | sed -n 's/^Cuda compilation tools, //p')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for source in *.cu; do
  name=${source%.cu}
  archs="sm_75 sm_90"
  if grep -q '__cluster_\|stmatrix\|mma\.sp' "$source"; then archs=sm_90; fi # they need sm_90
  if grep -q 'tcgen05\.' "$source"; then archs=sm_100; fi
  for arch in $archs; do
    target=$arch
    if grep -q 'wgmma\.\|tcgen05\.' "$source"; then target=${arch}a; fi
    "$nvcc" -ptx -O3 -lineinfo -arch=$target "$source" -o "$scratch/$name.ptx"
    {
      echo "// nvcc $version: nvcc -ptx -O3 -lineinfo -arch=$target $source"
      awk -v source="$source" -f lineinfo.awk "$scratch/$name.ptx" "$scratch/$name.ptx"
    } >"$out/$name.$arch.ptx"
  done
done
