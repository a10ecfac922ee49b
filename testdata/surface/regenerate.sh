#!/usr/bin/env bash
# Compiles sharpen.cu to sharpen.sm_90.ptx, byte for byte the same each time; see ../cuda/regenerate.sh.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
if [ $# -gt 0 ]; then nvcc=$1/nvidia/cu13/bin/nvcc; fi
out=${OUT:-.}
version=$("$nvcc" --version | sed -n 's/^Cuda compilation tools, //p')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$nvcc" -ptx -O3 -lineinfo -arch=sm_90 sharpen.cu -o "$scratch/sharpen.ptx"
{
  echo "// nvcc $version: nvcc -ptx -O3 -lineinfo -arch=sm_90 sharpen.cu"
  awk -v source=sharpen.cu -f ../cuda/lineinfo.awk "$scratch/sharpen.ptx" "$scratch/sharpen.ptx"
} >"$out/sharpen.sm_90.ptx"
