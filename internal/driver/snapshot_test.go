package driver

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	folder "ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestParseLaunch: which kernel, and which of its launches.
func TestParseLaunch(t *testing.T) {
	for _, c := range []struct {
		text, means, not string
		number           uint64
		fails            bool
	}{
		{text: "", means: "k"}, {text: ":3", means: "k", number: 3}, {text: "k:", means: "k", not: "l"}, {text: "k", means: "k", not: "l"},
		{text: "k:12", means: "k", not: "l", number: 12}, {text: "n::k", means: "_ZN1n1kEv", not: "k"}, {text: "n::k:2", means: "_ZN1n1kEv", not: "k", number: 2},
		{text: "regex:^k.$:2", means: "kk", not: "k", number: 2}, {text: "kns=k", means: "ok", not: "l"}, {text: "regex:a:b", means: "xa:b", not: "a"},
		{text: "k:0", fails: true}, {text: "k:99999999999999999999", fails: true}, {text: "regex:(", fails: true},
	} {
		got, err := ParseLaunch(c.text)
		if c.fails {
			if err == nil {
				t.Errorf("%q is taken", c.text)
			}
			continue
		}
		means := func(symbol string) bool { return got.Kernel == nil || got.Kernel(kernelname.Of(symbol)) }
		if err != nil || got.Number != c.number || !means(c.means) || c.not != "" && means(c.not) {
			t.Errorf("%q: launch %d, of %s %v, of %s %v: %v", c.text, got.Number, c.means, means(c.means), c.not, means(c.not), err)
		}
	}
}

// leave ends the program of a rig, and returns what has been said since its start.
func (r *rig) leave(status int) string {
	r.t.Helper()
	if got := r.Leave(0, false); got != status {
		r.t.Errorf("exit status %d, want %d", got, status)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.errors, "")
}

// replay runs the launch of a folder, and returns n words at an address before it and behind.
func replay(t *testing.T, dir string, at uint64, n int) (before, after []uint32, stats vm.Stats, err error) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, folder.LaunchFile))
	if err != nil {
		t.Fatal(err)
	}
	d, err := vm.NewDevice(&vm.DeviceConfig{Arch: "sm_90", Memory: 64 << 20, Workers: 1, Restore: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var kernel string
	var params []byte
	l := vm.Launch{Block: vm.Dim3{X: 64}}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "--kernel":
			kernel = value
		case "--grid":
			l.Grid.X = uint32(value[0] - '0')
		case "--arg":
			one, err := hex.DecodeString(strings.TrimPrefix(value, "bytes:0x"))
			if err != nil {
				t.Fatal(err)
			}
			params = append(params, one...)
		}
	}
	source, err := os.ReadFile(filepath.Join(dir, "module.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.Compile("module.ptx", source, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	words := func() []uint32 {
		b, err := d.At(at, 4*n)
		list := make([]uint32, n)
		if err == nil {
			err = vm.Download(b, list)
		}
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before = words()
	stats, err = k.LaunchBlock(context.Background(), l, params)
	return before, words(), stats, err
}

// TestCaptures: the launch that is named, else the first that faults, else the first; with the memory that it began with, though
// later ones have changed that since.
func TestCaptures(t *testing.T) {
	for _, c := range []struct {
		name          string
		launch        string
		faults        bool // the last launch does
		before, after uint32
		status        int
		says          string
	}{
		{"first", "", false, 0, 1, 0, "the launch add:1 is captured: ptxvm run @"},
		{"third", ":3", false, 2, 3, 0, "the launch add:3 is captured: ptxvm run @"},
		{"third of a kernel", "add:3", false, 2, 3, 0, "the launch add:3 is captured: ptxvm run @"},
		{"fault", "", true, 4, 5, 3, "\n  capture: ptxvm run @"},
		{"fault to debug", "", true, 4, 5, 3, " --at fault"},
		{"fault by name", "add:5", true, 4, 5, 3, "\n  capture: ptxvm run @"},
		{"before a fault", "add:2", true, 1, 2, 3, "\n  capture: ptxvm exec --capture add:5 DIR PROGRAM…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "kept")
			by, err := ParseLaunch(c.launch)
			if err != nil {
				t.Fatal(err)
			}
			by.Dir = dir
			r := newRig(t, Config{Capture: by, ErrorExit: 3})
			f, at := r.function("add"), r.alloc(256)
			for i := range 5 {
				n := uint32(64)
				if c.faults && i == 4 {
					n = 65
				}
				r.want(r.launch(0, f, 2, addParams(at, 1, n)), Success)
				if n == 64 {
					r.want(r.Synchronize(0), Success)
				}
			}
			said := r.leave(c.status)
			if !strings.Contains(said, c.says) {
				t.Errorf("%s is missing in:\n%s", c.says, said)
			}
			before, after, stats, err := replay(t, dir, at, 64)
			faulted := c.faults && c.before == 4
			if (err != nil) != faulted || !slices.Equal(before, slices.Repeat([]uint32{c.before}, 64)) || !slices.Equal(after, slices.Repeat([]uint32{c.after}, 64)) {
				t.Errorf("from %d to %d: %v", before[0], after[0], err)
			}
			if want := map[bool]vm.Replay{false: vm.ReplaySame, true: vm.ReplayUnknown}[faulted]; stats.Replay != want {
				t.Errorf("the replay is %d, want %d", stats.Replay, want)
			}
			report, err := os.ReadFile(filepath.Join(dir, folder.ReportFile))
			if (err == nil) != faulted || faulted && !strings.Contains(string(report), `"code":"P7001"`) {
				t.Errorf("the report: %s %v", report, err)
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
				t.Errorf("beside the folder: %v %v", left, err)
			}
		})
	}
}

// TestCaptureNothing: what keeps a launch from being captured is said, and is no success.
func TestCaptureNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "notes"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ launch, dir, says string }{
		{"sub", dir, "nothing is captured in " + dir + ": no kernel that --capture means was launched"},
		{"add:3", dir, "launch 3 of the kernels that --capture means never came, the last one was 2"},
		{"", full, "the launch add:1 is not captured: " + full + " is not empty"},
		{"add:2", dir, "add:2 is not captured: larger than the limit of a capture: the launch begins with 8192 bytes or more that are not zero, of 4096 allowed (--capture-max"},
	} {
		by, err := ParseLaunch(c.launch)
		if err != nil {
			t.Fatal(err)
		}
		by.Dir = c.dir
		r := newRig(t, Config{Capture: by, ErrorExit: 3, Device: vm.DeviceConfig{CaptureMax: 4096}})
		f, at := r.function("add"), r.alloc(8192)
		for range 2 {
			r.want(r.launch(0, f, 32, addParams(at, 1, 2048)), Success)
		}
		if said := r.leave(3); !strings.Contains(said, c.says) {
			t.Errorf("%s is missing in:\n%s", c.says, said)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something is captured")
	}
}

// TestCaptureBeside: a folder tells which kernels ran while its memory was read, and promises nothing of what the launch leaves.
func TestCaptureBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	by, err := ParseLaunch("add")
	if err != nil {
		t.Fatal(err)
	}
	by.Dir = dir
	r := newRig(t, Config{Capture: by})
	flag, code := r.AllocHost(0, 4, 0)
	r.want(code, Success)
	other, code := r.StreamCreate(0, StreamNonBlocking, 0)
	r.want(code, Success)
	r.want(r.launch(other, r.function("wait"), 1, binary.LittleEndian.AppendUint64(nil, flag)), Success)
	for r.Running() == "ptxvm: no kernel runs\n" {
	}
	at := r.alloc(256)
	r.want(r.launch(0, r.function("add"), 1, addParams(at, 1, 64)), Success)
	r.want(r.StreamSynchronize(0, StreamLegacy), Success)
	one := []byte{1, 0, 0, 0}
	copy(hostBytes(flag, 4), one)
	r.want(r.Synchronize(0), Success)
	m, err := folder.Open(dir, 1<<30)
	if err != nil || !slices.Equal(m.Beside, []string{"wait"}) {
		t.Errorf("beside: %v %v", m, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, folder.LaunchFile))
	if err != nil || !strings.Contains(string(text), `# "wait" ran meanwhile`) {
		t.Errorf("%s %v", text, err)
	}
	if after, err := folder.After(dir); after != "" || err != nil {
		t.Errorf("what is left: %q %v", after, err)
	}
	_, words, stats, err := replay(t, dir, at, 64)
	if err != nil || words[63] != 1 || stats.Replay != vm.ReplayUnknown {
		t.Errorf("%v %d %v", words, stats.Replay, err)
	}
}

// TestCaptureBesideOtherWork: nor is anything promised where work of another stream that is no kernel goes on beside the launch.
func TestCaptureBesideOtherWork(t *testing.T) {
	for _, c := range []struct {
		name                string
		before, over, while bool // the work begins before the launch; and is over then; else it begins while that runs
		known               bool // what the launch leaves is
	}{
		{name: "nothing", known: true},
		{name: "over", before: true, over: true, known: true},
		{name: "before", before: true},
		{name: "while it runs", while: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "kept")
			r := newRig(t, Config{Capture: Capture{Dir: dir}})
			begun, end := make(chan bool), make(chan bool, 1)
			r.host.Call = func(uint64, uint64) {
				begun <- true
				<-end
			}
			other, code := r.StreamCreate(0, StreamNonBlocking, 0)
			r.want(code, Success)
			flag, code := r.AllocHost(0, 4, 0)
			r.want(code, Success)
			begin := func() {
				r.want(r.HostFunction(0, other, 1, 0), Success)
				<-begun
			}
			if c.over {
				end <- true
			}
			if c.before {
				begin()
			}
			if c.over {
				r.want(r.StreamSynchronize(0, other), Success)
			}
			r.want(r.launch(0, r.function("wait"), 1, binary.LittleEndian.AppendUint64(nil, flag)), Success)
			for r.Running() == "ptxvm: no kernel runs\n" {
			}
			if c.while {
				begin()
			}
			copy(hostBytes(flag, 4), []byte{1, 0, 0, 0})
			r.want(r.StreamSynchronize(0, StreamLegacy), Success)
			end <- true
			r.want(r.Synchronize(0), Success)
			if after, err := folder.After(dir); err != nil || (after != "") != c.known {
				t.Errorf("what is left: %q, known should be %v: %v", after, c.known, err)
			}
		})
	}
}
