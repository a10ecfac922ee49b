package sanitize

import (
	"context"
	"errors"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// TestNoLivelock: loops that take long, or wait for what comes in the end, are no report. Each waits longer than the first looks take.
func TestNoLivelock(t *testing.T) {
	for _, c := range []struct {
		name        string
		grid, block uint32
		body        string
	}{
		{"a counter ends it", 1, 32, `
	mov.u32 y, 0;
again:
	ld.volatile.shared.u32 x, [s0]; add.u32 y, y, 1; setp.lt.u32 ok, y, 200000;
	@ok bra again;`},
		{"a clock ends it", 1, 32, `
	mov.u64 r, %clock64;
again:
	mov.u64 q, %clock64; sub.u64 q, q, r; setp.lt.u64 ok, q, 300000;
	@ok bra again;`},
		{"another warp takes long", 1, 64, `
	setp.eq.u32 ok, w, 0; @ok bra waiting;
	mov.u32 y, 0;
count:
	add.u32 y, y, 1; setp.lt.u32 ok, y, 3000000; @ok bra count;
	st.release.cta.shared.u32 [s0], y;
	bra done;
waiting:
	ld.acquire.cta.shared.u32 x, [s0]; setp.eq.u32 ok, x, 0;
	@ok bra waiting;
done:`},
		{"another CTA takes long", 3, 32, `
	setp.eq.u32 ok, c, 2; @!ok bra waiting;
	mov.u32 y, 0;
count:
	add.u32 y, y, 1; setp.lt.u32 ok, y, 3000000; @ok bra count;
	st.release.gpu.global.u32 [g0], y;
	bra done;
waiting:
	ld.acquire.gpu.global.u32 x, [g0]; setp.eq.u32 ok, x, 0;
	@ok bra waiting;
done:`},
		{"a lock goes round", 4, 64, `
	setp.ne.u32 ok, l, 0; @ok bra done;
	mov.u32 y, 0;
take:
	atom.acquire.gpu.global.cas.b32 x, [g0], 0, 1; setp.ne.u32 ok, x, 0;
	@ok bra take;
	ld.global.u32 z, [g0+4]; add.u32 z, z, 1; st.global.u32 [g0+4], z;
	atom.release.gpu.global.exch.b32 x, [g0], 0;
	add.u32 y, y, 1; setp.lt.u32 ok, y, 500; @ok bra take;
done:`},
		{"two threads hand a word to and fro", 1, 64, `
	setp.ne.u32 ok, l, 0; @ok bra done;
	mov.u32 y, 0; 
turn:
	ld.acquire.cta.shared.u32 x, [s0]; and.b32 x, x, 1; setp.ne.u32 ok, x, w;
	@ok bra turn;
	atom.release.cta.shared.add.u32 x, [s0], 1;
	add.u32 y, y, 1; setp.lt.u32 ok, y, 2000; @ok bra turn;
done:`},
		{"lanes of a warp, one by one", 1, 32, `
	mov.u32 y, 0;
turn:
	ld.volatile.shared.u32 x, [s0]; setp.ne.u32 ok, x, t;
	@ok bra turn;
	add.u32 x, x, 1; st.volatile.shared.u32 [s0], x;`},
	} {
		for workers := 1; workers <= 2; workers++ {
			text := kernelText("sm_90", "mov.u64 gmap, map; cvta.param.u64 gmap, gmap;") + c.body + "\n\tret;\n}\n"
			if err := runLoop(t, text, workers, c.grid, c.block, true, nil); err != nil {
				t.Errorf("%s, %d workers: %v", c.name, workers, err)
			}
		}
	}
}

// TestLivelockAlone: a loop that reads global memory is judged only where nothing else writes that.
func TestLivelockAlone(t *testing.T) {
	text := kernelText("sm_90", "mov.u64 gmap, map; cvta.param.u64 gmap, gmap;") + `
again:
	ld.acquire.sys.global.u32 x, [g0]; setp.eq.u32 ok, x, 0;
	@ok bra again;
	ret;
}
`
	for workers := 1; workers <= 2; workers++ {
		release := func(b ptxvm.Buffer) {
			time.Sleep(50 * time.Millisecond)
			if _, err := b.WriteAt([]byte{1}, 0); err != nil {
				t.Error(err)
			}
		}
		if err := runLoop(t, text, workers, 2, 32, false, release); err != nil {
			t.Errorf("the host writes, %d workers: %v", workers, err)
		}
		err := runLoop(t, text, workers, 2, 32, true, nil)
		var found *ptxvm.SanitizerError
		var stuck *ptxvm.DeadlockError
		if !errors.As(err, &found) || !errors.As(err, &stuck) || found.Reports[0].Code.String() != "P8010" || len(stuck.Waiters) != 2 {
			t.Errorf("nobody writes, %d workers: %v", workers, err)
		}
	}
}

func runLoop(t *testing.T, text string, workers int, grid, block uint32, alone bool, meanwhile func(ptxvm.Buffer)) error {
	t.Helper()
	k := ptxtest.Compile(t, text, "k", &ptxvm.DeviceConfig{Arch: "sm_90", Memory: 1 << 24, Workers: workers, Sanitize: ptxvm.SanitizeSync, Alone: alone})
	defer k.Device.Close()
	buf, err := ptxvm.Upload(k.Device, make([]uint32, 1024))
	if err != nil {
		t.Fatal(err)
	}
	tiles, err := k.Device.NewTensorMap(ptxvm.TensorMapTiled{Buffer: buf, Type: "u32", Dims: []uint32{32, 32}, Box: []uint32{8, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if meanwhile != nil {
		go meanwhile(buf)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = k.Launch(ctx, ptxvm.Launch{Grid: ptxvm.Dim3{X: grid}, Block: ptxvm.Dim3{X: block}}, buf, tiles)
	return err
}
