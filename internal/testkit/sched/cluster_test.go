package sched

// Clusters: peers that read, write and wait for each other, and how they are stopped.

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm"
)

func clusterScenarios() (all []*scenario) {
	for _, size := range []uint32{1, 2, 4, 8, 16} {
		all = append(all, ring(3*size, 40, size), leave(2*size, size, 5))
	}
	return append(all, bins(8, 64, 2, 30), bins(8, 32, 8, 9), bins(4, 64, 1, 5),
		where(ptxvm.Dim3{X: 4, Y: 6, Z: 2}, ptxvm.Dim3{X: 2, Y: 3}), where(ptxvm.Dim3{X: 2, Y: 4, Z: 4}, ptxvm.Dim3{X: 1, Y: 2, Z: 4}),
		where(ptxvm.Dim3{X: 3, Y: 1, Z: 1}, ptxvm.Dim3{}))
}

// ring has blocks of threads in clusters of size.
func ring(ctas, threads, size uint32) *scenario {
	value := func(cta, tid uint32) uint32 { return (cta*threads+tid)*1000 + cta%size }
	want := fill(int(ctas*threads*3), func(i uint32) uint32 {
		cta, tid := i/3/threads, i/3%threads
		next := cta - cta%size + (cta%size+1)%size
		if i%3 == 2 {
			return value(next, tid) + 7
		}
		return value(next, tid)
	})
	return &scenario{file: "cluster", kernel: "ring", grid: line(ctas), block: line(threads), cluster: line(size), mem: make([]uint32, len(want)), want: want}
}

func bins(ctas, threads, size, each uint32) *scenario {
	want := make([]uint32, 64)
	for i := range ctas * threads {
		for range each {
			i = i*1664525 + 1013904223
			want[i>>26]++
		}
	}
	return &scenario{file: "cluster", kernel: "bins", grid: line(ctas), block: line(threads), cluster: line(size),
		mem: make([]uint32, 64), args: []any{each}, want: want}
}

// leave has two warps a block; 16 lanes of each stay, in CTAs of even rank.
func leave(ctas, size, turns uint32) *scenario {
	want := fill(int(ctas), func(cta uint32) uint32 {
		if cta%size%2 != 0 {
			return 0
		}
		return turns * 2 * 16 * ((size + 1) / 2)
	})
	return &scenario{file: "cluster", kernel: "leave", grid: line(ctas), block: line(64), cluster: line(size),
		mem: make([]uint32, ctas), args: []any{turns}, want: want}
}

func where(grid, cluster ptxvm.Dim3) *scenario {
	c, explicit := cluster, uint32(1)
	if c == (ptxvm.Dim3{}) {
		explicit = 0
	}
	for _, n := range []*uint32{&c.X, &c.Y, &c.Z} {
		*n = max(*n, 1)
	}
	var want []uint32
	for i := range grid.X * grid.Y * grid.Z {
		x, y, z := i%grid.X, i/grid.X%grid.Y, i/grid.X/grid.Y
		want = append(want, x/c.X, y/c.Y, z/c.Z, grid.X/c.X, grid.Y/c.Y, grid.Z/c.Z,
			x%c.X, y%c.Y, z%c.Z, c.X, c.Y, c.Z, x%c.X+c.X*(y%c.Y+c.Y*(z%c.Z)), c.X*c.Y*c.Z, explicit, i)
	}
	return &scenario{file: "cluster", kernel: "where", grid: grid, block: line(1), cluster: cluster, mem: make([]uint32, len(want)), want: want}
}

// TestClusterFaults names the rank of a bad access, and what is wrong at the barrier.
func TestClusterFaults(t *testing.T) {
	for _, c := range []struct {
		kernel string
		code   int
		msg    string
	}{
		{"exited", 7021, "shared memory of a CTA that has ended: shared load of 4 bytes at 0x1000400, offset 0x400 of rank 1"},
		{"other", 7020, "own shared memory expected, address of another CTA: shared store of 4 bytes at 0x1000400, offset 0x400 of rank 1; the thread's own rank is 0"},
		{"none", 7019, "shared address of no CTA of the cluster: shared atomic of 4 bytes at 0x2000400, offset 0x400 of rank 2; the cluster has 2 CTAs"},
		{"twice", 7022, "misuse of the cluster's barrier: barrier.cluster.arrive again, without a barrier.cluster.wait since the last"},
		{"early", 7022, "misuse of the cluster's barrier: barrier.cluster.wait without a barrier.cluster.arrive before it"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			t.Parallel()
			at := lineOf(t, "clusterstop", c.kernel, "FAULT")
			onSchedules(t, func(t *testing.T, cfg ptxvm.DeviceConfig) {
				_, k := kernel(t, cfg, "clusterstop", c.kernel)
				_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: line(4), Block: line(32), Cluster: line(2)})
				var f *ptxvm.Fault
				if !errors.As(err, &f) || int(f.Code) != c.code || f.Msg != c.msg || f.PTX.Line != at {
					t.Errorf("got %v, want P%d at line %d: %s", err, c.code, at, c.msg)
				}
			})
		})
	}
}

// TestClusterDeadlock names the CTAs of the cluster and what each waits for.
func TestClusterDeadlock(t *testing.T) {
	onSchedules(t, func(t *testing.T, cfg ptxvm.DeviceConfig) {
		_, k := kernel(t, cfg, "clusterstop", "stuck")
		_, err := k.Launch(context.Background(), ptxvm.Launch{Grid: line(2), Block: line(32), Cluster: line(2)})
		var d *ptxvm.DeadlockError
		if !errors.As(err, &d) || !d.Cluster || len(d.Waiters) != 2 {
			t.Fatalf("got %v, want a deadlock with two waiters", err)
		}
		for i, w := range []waiter{
			{0, ^uint32(0), 0, "WAIT cluster", "wait at barrier.cluster, 32 of 64 threads of the cluster have arrived"},
			{0, ^uint32(0), 0, "WAIT count", "wait at barrier 3, 32 of 64 threads have arrived"},
		} {
			if !w.in(d.Waiters[i:i+1], lineOf(t, "clusterstop", "stuck", w.mark)) || d.Waiters[i].CTA != (ptxvm.Index3{X: uint32(i)}) {
				t.Errorf("%s\nwant CTA %d: %s", d.Detail(), i, w.reason)
			}
		}
	})
}

// TestClusterShapes: what no device or kernel takes is refused before anything runs.
func TestClusterShapes(t *testing.T) {
	for _, c := range []struct {
		arch, attrs   string
		grid, cluster ptxvm.Dim3
		want          string // "": it runs
	}{
		{"sm_90", "", line(4), line(4), ""},
		{"sm_90", "", line(16), line(16), ""},
		{"sm_90", "", line(32), line(32), "a cluster of 32,1,1 CTAs is too large: at most 16 on sm_90"},
		{"sm_120", "", line(16), line(16), "a cluster of 16,1,1 CTAs is too large: at most 8 on sm_120"},
		{"sm_80", "", line(4), line(2), "clusters of 2,1,1 CTAs: sm_80 has no clusters, they need sm_90"},
		{"sm_90", "", line(5), line(2), "a grid of 5,1,1 CTAs is no multiple of clusters of 2,1,1"},
		{"sm_90", ".reqnctapercluster 2", line(4), line(4), "the kernel requires clusters of 2,1,1 CTAs (.reqnctapercluster), not 4,1,1"},
		{"sm_90", ".reqnctapercluster 2", line(4), ptxvm.Dim3{}, ""},
		{"sm_90", ".explicitcluster", line(4), ptxvm.Dim3{}, "the kernel must be launched with the cluster's shape (.explicitcluster)"},
		{"sm_90", ".explicitcluster", line(4), line(1), ""},
		{"sm_90", ".maxclusterrank 4", line(8), line(8), "the kernel allows clusters of 4 CTAs (.maxclusterrank), not 8"},
		{"sm_90", ".maxclusterrank 4", line(8), line(4), ""},
	} {
		src := fmt.Sprintf(".version 9.0\n.target %s\n.address_size 64\n.visible .entry k() %s { ret; }\n", c.arch, c.attrs)
		if got := shaped(t, c.arch, src, ptxvm.Launch{Grid: c.grid, Block: line(1), Cluster: c.cluster}, 0); !has(got, c.want) {
			t.Errorf("%s %s grid %v cluster %v: %v, want %q", c.arch, c.attrs, c.grid, c.cluster, got, c.want)
		}
	}
	const blocks = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() .reqntid 32 .reqnctapercluster 2, 3 .blocksareclusters { ret; }\n"
	if err := shaped(t, "sm_90", blocks, ptxvm.Launch{Grid: ptxvm.Dim3{X: 2, Y: 2}}, 24); err != nil {
		t.Error(err)
	}
}

// has reports whether an error contains a text; none is "".
func has(err error, text string) bool {
	if err == nil || text == "" {
		return err == nil && text == ""
	}
	var arg *ptxvm.ArgError
	return errors.As(err, &arg) && len(arg.Msg) >= len(text)+3 && arg.Msg[3:3+len(text)] == text
}

// shaped launches kernel k of a source; a launch that runs must have so many CTAs, unless 0.
func shaped(t *testing.T, arch, src string, l ptxvm.Launch, ctas uint64) error {
	t.Helper()
	m, err := ptxvm.Compile("k.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: arch, Workers: 2, Memory: 1 << 26})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	stats, err := k.Launch(context.Background(), l)
	if err == nil && ctas != 0 && stats.CTAs != ctas {
		t.Errorf("%d CTAs ran, want %d", stats.CTAs, ctas)
	}
	return err
}
