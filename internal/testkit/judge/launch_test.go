package judge

// This file launches the kernels of modules made at test time. What they compute is of no account: each ends,
// faults, is stopped, or is refused by the name of a form that is not executed.

import (
	"context"
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// launchSteps bounds a launch, whose parameters are zeros: loops may not end.
const launchSteps = 100_000

func launches(t *testing.T, name, text string) {
	t.Helper()
	m, err := ptxvm.Compile(name, []byte(text), nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: ptxvm.NewestTarget(m), MaxSteps: launchSteps})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, info := range p.Kernels() {
		k, err := p.Kernel(info.Name)
		if err == nil {
			_, err = k.Launch(context.Background(), ptxvm.Launch{Cluster: cluster(&info), Grid: cluster(&info), Block: info.ReqBlock}, zeros(&info)...)
		}
		if !named(err) {
			t.Errorf("%s: %s: %v", name, info.Name, err)
		}
	}
}

// cluster is what a kernel demands, or one CTA.
func cluster(info *ptxvm.KernelInfo) ptxvm.Dim3 {
	c := info.ReqCluster
	return ptxvm.Dim3{X: max(c.X, 1), Y: max(c.Y, 1), Z: max(c.Z, 1)}
}

// zeros are the bytes of each parameter.
func zeros(info *ptxvm.KernelInfo) (args []any) {
	for i := range info.Params {
		args = append(args, make([]byte, info.Params[i].Size))
	}
	return args
}

// named tells the ways in which a launch may end.
func named(err error) bool {
	var (
		fault    *ptxvm.Fault
		deadlock *ptxvm.DeadlockError
		refused  *ptxvm.UnsupportedError
	)
	return err == nil || errors.As(err, &fault) || errors.As(err, &deadlock) || errors.Is(err, ptxvm.ErrStepLimit) ||
		errors.As(err, &refused) && len(refused.Forms) > 0
}
