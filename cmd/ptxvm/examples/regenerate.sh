#!/usr/bin/env bash
# Compiles every NAME.cu here to NAME.ptx, as testdata/cuda/regenerate.sh does: same argument, same packages.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
if [ $# -gt 0 ]; then nvcc=$1/nvidia/cu13/bin/nvcc; fi
version=$("$nvcc" --version | sed -n 's/^Cuda compilation tools, //p')
for source in *.cu; do
  ptx=${source%.cu}.ptx
  "$nvcc" -ptx -O3 -lineinfo -arch=sm_75 "$source" -o "$ptx.new"
  {
    echo "// nvcc $version: nvcc -ptx -O3 -lineinfo -arch=sm_75 $source"
    awk -v source="$source" -f ../../../testdata/cuda/lineinfo.awk "$ptx.new" "$ptx.new"
  } >"$ptx"
  rm "$ptx.new"
done
