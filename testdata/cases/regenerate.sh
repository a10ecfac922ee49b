#!/usr/bin/env bash
# Compiles the NAME.cu inside every NAME.txtar here and puts its PTX into the case.
#
#   regenerate.sh [PIP_TARGET]     nvcc is PIP_TARGET/nvidia/cu13/bin/nvcc, else $NVCC, else the one in PATH
#   OUT=DIR regenerate.sh …        writes the cases into DIR instead
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
if [ $# -gt 0 ]; then nvcc=$1/nvidia/cu13/bin/nvcc; fi
out=${OUT:-.}
version=$("$nvcc" --version | sed -n 's/^Cuda compilation tools, //p')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for case in *.txtar; do
  name=${case%.txtar}
  awk -v file="-- $name.cu --" '/^-- .* --$/ { on = $0 == file; next } on' "$case" >"$scratch/$name.cu"
  (cd "$scratch" && "$nvcc" -ptx -O3 -lineinfo -arch=sm_75 "$name.cu" -o raw.ptx)
  # Everything up to the PTX, which is last; the sections of DWARF behind it hold paths of this machine.
  awk -v file="-- $name.ptx --" '{ print } $0 == file { exit }' "$case" >"$scratch/$case"
  {
    echo "// nvcc $version: nvcc -ptx -O3 -lineinfo -arch=sm_75 $name.cu"
    awk -v source="$name.cu" -f ../cuda/lineinfo.awk "$scratch/raw.ptx" "$scratch/raw.ptx"
  } >>"$scratch/$case"
  cp "$scratch/$case" "$out/$case"
done
