package launches_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// TestCorpusCaptured captures the last launch of every case of the corpus, and runs it again from its folder in both engines: all
// memory, what is printed and the error are as they were, also where the device's addresses were those of its host.
func TestCorpusCaptured(t *testing.T) {
	for i, c := range corpus.Cases() {
		arch := c.Archs[len(c.Archs)-1]
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "captured")
			want := captureCase(t, &c, arch, dir, i%2 == 1 && runtime.GOOS == "linux")
			for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.Auto} {
				want.compare(t, engine, replayed(t, dir, arch, engine))
			}
		})
	}
}

// after is what a launch leaves.
type after struct {
	bytes  map[capture.Address][]byte
	stdout string
	err    string
}

// captureCase runs a case, whose last launch is captured in dir.
func captureCase(t *testing.T, c *corpus.Case, arch int, dir string, onHost bool) *after {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(c.Path(arch))))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	d := captureDevice(t, ptxvm.DeviceConfig{Arch: fmt.Sprintf("sm_%d", arch), Stdout: &out, HostPointers: onHost})
	p := loaded(t, d, src)
	r := c.Make(corpus.Target{Arch: arch})
	buffers := map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range r.Buffers {
		if buffers[b], err = ptxvm.Upload(d, b.Init); err != nil {
			t.Fatal(err)
		}
	}
	for i, l := range r.Launches {
		folder := ""
		if i == len(r.Launches)-1 {
			folder = dir
			out.Reset()
		}
		_, err = rig.LaunchCaptured(d, p, l, buffers, nil, folder)
	}
	return left(t, d, dir, out.String(), err)
}

// captureDevice is a device whose results depend on its configuration and the launch alone.
func captureDevice(t *testing.T, cfg ptxvm.DeviceConfig) *ptxvm.Device {
	t.Helper()
	cfg.Memory, cfg.Deterministic = 1<<30, true
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func loaded(t *testing.T, d *ptxvm.Device, src []byte) *ptxvm.Program {
	t.Helper()
	m, err := ptxvm.Compile("module.ptx", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// left reads all that the folder of a capture has allocations for.
func left(t *testing.T, d *ptxvm.Device, dir, stdout string, err error) *after {
	t.Helper()
	a := &after{bytes: map[capture.Address][]byte{}, stdout: stdout}
	if err != nil {
		a.err = strings.ReplaceAll(err.Error(), "in compiled code", "")
	}
	m, err := capture.Open(dir, 1<<40)
	if err != nil {
		t.Fatalf("%v (the launch: %s)", err, a.err)
	}
	for _, one := range m.Allocations {
		b, err := d.At(uint64(one.Address), int(one.Size))
		if errors.Is(err, ptxvm.ErrClosed) {
			a.bytes[one.Address] = nil // the kernel has freed it
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		a.bytes[one.Address] = make([]byte, one.Size)
		if err := ptxvm.Download(b, a.bytes[one.Address]); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// replayed runs the launch of a folder.
func replayed(t *testing.T, dir string, arch int, engine ptxvm.Engine) *after {
	t.Helper()
	var out bytes.Buffer
	d := captureDevice(t, ptxvm.DeviceConfig{Arch: fmt.Sprintf("sm_%d", arch), Stdout: &out, Engine: engine, Restore: dir})
	src, err := os.ReadFile(filepath.Join(dir, "module.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	p := loaded(t, d, src)
	name, l, args := readLaunch(t, dir)
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Launch(context.Background(), l, args...)
	return left(t, d, dir, out.String(), err)
}

// readLaunch reads what launch.txt says of the launch itself.
func readLaunch(t *testing.T, dir string) (kernel string, l ptxvm.Launch, args []any) {
	t.Helper()
	text, err := os.Open(filepath.Join(dir, capture.LaunchFile))
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		var err error
		switch name {
		case "--kernel":
			kernel = value
		case "--grid":
			_, err = fmt.Sscanf(value, "%d,%d,%d", &l.Grid.X, &l.Grid.Y, &l.Grid.Z)
		case "--block":
			_, err = fmt.Sscanf(value, "%d,%d,%d", &l.Block.X, &l.Block.Y, &l.Block.Z)
		case "--cluster":
			_, err = fmt.Sscanf(value, "%d,%d,%d", &l.Cluster.X, &l.Cluster.Y, &l.Cluster.Z)
		case "--shared":
			l.Shared, err = strconv.Atoi(value)
		case "--arg":
			var data []byte
			data, err = hex.DecodeString(strings.TrimPrefix(value, "bytes:0x"))
			args = append(args, data)
		}
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
	}
	return kernel, l, args
}

// compare holds what a replay leaves to what the launch left.
func (want *after) compare(t *testing.T, engine ptxvm.Engine, got *after) {
	t.Helper()
	if got.stdout != want.stdout || got.err != want.err {
		t.Errorf("%v: printed %q, error %q; want %q, %q", engine, got.stdout, got.err, want.stdout, want.err)
	}
	for at, data := range want.bytes {
		if (got.bytes[at] == nil) != (data == nil) || !bytes.Equal(got.bytes[at], data) {
			t.Errorf("%v: the %d bytes at %#x differ", engine, len(data), uint64(at))
		}
	}
}
