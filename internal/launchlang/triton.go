package launchlang

// This file reads --triton META.json: what Triton's compiler says beside the PTX of a kernel, which its
// own launcher reads. Options of the command line win.

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"

	"ptxvm.invalid/ptxvm"
)

// tritonMeta is the part of the metadata that a launch needs.
type tritonMeta struct {
	Name           string `json:"name"`
	Shared         *int64 `json:"shared"`
	NumWarps       uint32 `json:"num_warps"`
	NumCTAs        uint32 `json:"num_ctas"` // of a cluster; the grid counts clusters
	GlobalScratch  uint64 `json:"global_scratch_size"`
	ProfileScratch uint64 `json:"profile_scratch_size"`
}

// tritonHidden is the parameters behind those of the kernel's source: global and profile scratch.
const tritonHidden = 2

func readTriton(name string) (*tritonMeta, error) {
	raw, err := ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--triton: %w", err)
	}
	m := &tritonMeta{NumCTAs: 1}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("--triton %s: %w", name, err)
	}
	if m.Name == "" || m.Shared == nil || *m.Shared < 0 || *m.Shared > math.MaxInt32 || m.NumWarps < 1 || m.NumWarps > 32 || m.NumCTAs < 1 || m.NumCTAs > 16 {
		return nil, fmt.Errorf("--triton %s: want Triton's metadata with name, shared and num_warps (1 to 32), num_ctas (1 to 16)", name)
	}
	return m, nil
}

// kernelName is --kernel, else what the metadata says.
func (j *Job) kernelName() string {
	if j.meta != nil && j.Options.Kernel == "" {
		return j.meta.Name
	}
	return j.Options.Kernel
}

// applyTriton completes the shape and supplies the hidden arguments.
func (j *Job) applyTriton(info ptxvm.KernelInfo) {
	m := j.meta
	if m == nil {
		return
	}
	if !j.SharedGiven {
		j.Shape.Shared = int(*m.Shared)
	}
	if j.Options.Shape.Block == (ptxvm.Dim3{}) && info.ReqBlock == (ptxvm.Dim3{}) {
		j.Shape.Block = ptxvm.Dim3{X: 32 * m.NumWarps, Y: 1, Z: 1}
	}
	if m.NumCTAs > 1 && j.Options.Shape.Cluster == (ptxvm.Dim3{}) {
		j.Shape.Cluster = ptxvm.Dim3{X: m.NumCTAs, Y: 1, Z: 1}
		j.Shape.Grid.X = saturated(max(j.Shape.Grid.X, 1), m.NumCTAs)
	}
	if len(j.Specs)+tritonHidden == len(info.Params) {
		for _, size := range []uint64{m.GlobalScratch, m.ProfileScratch} {
			j.Specs = append(j.Specs, j.scratch(size))
		}
	}
}

// saturated is a·b; a grid that large is refused at the launch.
func saturated(a, b uint32) uint32 { return uint32(min(uint64(a)*uint64(b), math.MaxUint32)) }

// scratch is an argument for size bytes a CTA; without any it is null.
func (j *Job) scratch(size uint64) Arg {
	if size == 0 {
		return Arg{text: "null", value: make([]byte, addressSize)}
	}
	high, n := bits.Mul64(size, j.Shape.Grid.Count())
	if high != 0 || n > math.MaxInt64 {
		n = math.MaxInt64 // refused as more than the device has
	}
	return Arg{text: fmt.Sprintf("out:%d", n), buf: &bufSpec{start: Contents{size: int(n), unset: true}, input: true}}
}
