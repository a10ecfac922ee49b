package driver

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// racy are kernels whose threads write to one word, each under a name of its own.
const racy = `.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z4racyPj(.param .u64 at)
{
	.reg .b64 %a; .reg .b32 %t;
	ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; st.global.u32 [%a], %t;
	ret;
}
.visible .entry other(.param .u64 at)
{
	.reg .b64 %a; .reg .b32 %t;
	ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; st.global.u32 [%a], %t;
	ret;
}
`

// gateRig is a rig with those kernels, as the environment configures it.
type gateRig struct {
	*rig
	racy, other, at uint64
}

func newGateRig(t *testing.T, environ ...string) *gateRig {
	t.Helper()
	cfg, warnings, err := Configure(environ)
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	r := &gateRig{rig: newRig(t, cfg)}
	h, _, code := r.Load([][]byte{[]byte(racy)})
	r.want(code, Success)
	r.racy, code = r.Function(0, h, "_Z4racyPj")
	r.want(code, Success)
	r.other, code = r.Function(0, h, "other")
	r.want(code, Success)
	r.at = r.alloc(64)
	return r
}

func (r *gateRig) runs(list ...uint64) {
	r.t.Helper()
	for _, f := range list {
		r.want(r.launch(0, f, 1, binary.LittleEndian.AppendUint64(nil, r.at)), Success)
	}
	r.want(r.Synchronize(0), Success)
}

// said is what was reported, as one text.
func (r *gateRig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.errors, "")
}

// TestFilter: sanitizers report about the launches that are chosen, by name and number, and about no others.
func TestFilter(t *testing.T) {
	for _, c := range []struct {
		environ string
		want    int // reports
		last    string
	}{
		{"", 6, ""},
		{"PTXVM_KERNEL=racy", 3, ""},
		{"PTXVM_KERNEL=racy(unsigned int*)", 3, ""},
		{"PTXVM_KERNEL=_Z4racyPj", 3, ""},
		{"PTXVM_KERNEL=kns=oth", 3, ""},
		{"PTXVM_KERNEL=kernel_substring=acy", 3, ""},
		{"PTXVM_KERNEL=kne=other", 3, ""},
		{"PTXVM_KERNEL=kernel_name=racy", 0, "no kernel of the program is what --kernel names"},
		{"PTXVM_KERNEL=regex:^(racy|other)", 6, ""},
		{"PTXVM_LAUNCH_SKIP=4", 2, ""},
		{"PTXVM_LAUNCH_COUNT=1", 1, ""},
		{"PTXVM_KERNEL=other PTXVM_LAUNCH_SKIP=1 PTXVM_LAUNCH_COUNT=1", 1, ""},
		{"PTXVM_LAUNCH_SKIP=6", 0, "all of the 6 launches are skipped by --launch-skip 6"},
	} {
		t.Run(c.environ, func(t *testing.T) {
			r := newGateRig(t, append(environment(c.environ), "PTXVM_SANITIZE=race:strict", "PTXVM_ERROR_EXITCODE=3")...)
			for range 3 {
				r.runs(r.racy, r.other)
			}
			if have := strings.Count(r.said(), "P8002: race"); have != c.want {
				t.Errorf("%d reports, want %d: %s", have, c.want, r.said())
			}
			if have, want := r.Leave(0, false), map[bool]int{true: 3}[c.want != 0]; have != want {
				t.Errorf("status %d, want %d", have, want)
			}
			if !strings.Contains(r.said(), c.last) {
				t.Errorf("%q is not in %q", c.last, r.said())
			}
		})
	}
}

// environment splits NAME=VALUE NAME=VALUE; a value may have a blank that no name follows.
func environment(text string) (list []string) {
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "PTXVM_") {
			list = append(list, word)
		} else {
			list[len(list)-1] += " " + word
		}
	}
	return list
}

// TestUnsanitized: a launch that is not looked at changes what those that are have to know.
func TestUnsanitized(t *testing.T) {
	r := newGateRig(t, "PTXVM_SANITIZE=init:loads", "PTXVM_KERNEL=add")
	r.runs(r.racy) // writes the word
	r.want(r.launch(0, r.function("add"), 1, addParams(r.at, 1, 1)), Success)
	r.want(r.Synchronize(0), Success)
	if said := r.said(); said != "" {
		t.Errorf("a word that was written: %s", said)
	}
	r.want(r.launch(0, r.function("add"), 1, addParams(r.at, 1, 2)), Success)
	r.want(r.Synchronize(0), Success)
	if said := r.said(); !strings.Contains(said, "P8001") {
		t.Errorf("a word that nothing wrote: %q", said)
	}
}

// TestLimitsOfLaunches: a launch that takes too long ends with 702, and the report says where its warps were.
func TestLimitsOfLaunches(t *testing.T) {
	for environ, want := range map[string]string{
		"PTXVM_TIMEOUT=200ms":   "timeout: kernel wait has run for more than 200ms (--timeout)",
		"PTXVM_MAX_STEPS=10000": "step limit: kernel wait has executed more than 10000 warp instructions (--max-steps)",
	} {
		for _, engine := range []string{"interp", "auto"} {
			r := newGateRig(t, environ, "PTXVM_ENGINE="+engine, "PTXVM_ERROR_EXITCODE=7")
			r.want(r.launch(0, r.function("wait"), 1, binary.LittleEndian.AppendUint64(nil, r.at)), Success)
			r.want(r.Synchronize(0), LaunchTimeout)
			said := r.said()
			for _, part := range []string{want, "kernel wait was at, the warps that executed most first:", "module.ptx:"} {
				if !strings.Contains(said, part) {
					t.Errorf("%s: %q is not in %q", environ, part, said)
				}
			}
			if status := r.Leave(0, false); status != 7 {
				t.Errorf("status %d", status)
			}
		}
	}
}

// TestLimitsOfModules: preparing a module has the limits of a launch.
func TestLimitsOfModules(t *testing.T) {
	r := newGateRig(t, "PTXVM_TIMEOUT=1h", "PTXVM_ERROR_EXITCODE=3")
	add := r.function("add")
	r.cfg.Timeout = time.Nanosecond
	_, log, code := r.Load([][]byte{[]byte(strings.Replace(racy, "other", "another", 1))})
	r.want(code, LaunchTimeout)
	if !strings.Contains(log, "compiling module module.ptx (parse)") {
		t.Errorf("%q", log)
	}
	r.want(r.launch(0, add, 1, addParams(r.at, 1, 1)), LaunchTimeout)
	if said := r.said(); !strings.Contains(said, "compiling kernel add (decode)") {
		t.Errorf("%q", said)
	}
	r.want(r.Sticky(), Success)
	r.cfg.Timeout = 0
	r.want(r.launch(0, add, 1, addParams(r.at, 1, 1)), Success)
	if status := r.Leave(0, false); status != 3 {
		t.Errorf("status %d", status)
	}
	large := racy + strings.Repeat(" ", 45<<20)
	_, log, code = r.Load([][]byte{[]byte(large)})
	if r.want(code, OutOfMemory); !strings.Contains(log, "compiling module module.ptx (parse): out of device memory") {
		t.Errorf("%q", log)
	}
}

// TestLeave: the status is the program's own unless that is 0 and something was reported; a failed launch that the
// program never asks about is.
func TestLeave(t *testing.T) {
	ask := func(r *gateRig) { r.LaunchFailed(1, "_Z4racyPj", InvalidConfiguration) }
	for _, c := range []struct {
		name         string
		exit, status int
		do           func(r *gateRig)
		want         int
		said         string
	}{
		{"nothing", 3, 0, func(*gateRig) {}, 0, ""},
		{"the program's own", 3, 5, ask, 5, "the launch of kernel racy(unsigned int*) failed with 9 cudaErrorInvalidConfiguration, and the program never asked"},
		{"never asked", 3, 0, ask, 3, "1 thing has been reported: exit status 3 in place of the program's 0 (--error-exitcode)"},
		{"turned off", 0, 0, ask, 0, "never asked"},
		{"asked", 3, 0, func(r *gateRig) { ask(r); r.LastErrorAsked(1) }, 0, ""},
		{"asked by another thread", 3, 0, func(r *gateRig) { ask(r); r.LastErrorAsked(2) }, 3, "never asked"},
		{"a fault, and launches behind it", 9, 0, func(r *gateRig) {
			r.want(r.launch(0, r.racy, 1, make([]byte, 8)), Success)
			r.want(r.Synchronize(0), IllegalAddress)
			r.LaunchFailed(1, "other", IllegalAddress)
		}, 9, "1 thing has been reported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newGateRig(t)
			r.cfg.ErrorExit = c.exit
			c.do(r)
			if have := r.Leave(c.status, false); have != c.want || !strings.Contains(r.said(), c.said) || c.said == "" && r.said() != "" {
				t.Errorf("status %d, want %d; %q, want %q", have, c.want, r.said(), c.said)
			}
		})
	}
}

// TestStats: the table and the report have each kernel once, and the lines each launch.
func TestStats(t *testing.T) {
	dir := t.TempDir()
	file, lines := filepath.Join(dir, "r.json"), filepath.Join(dir, "kernels")
	r := newGateRig(t, "PTXVM_STATS=1", "PTXVM_REPORT="+file, "PTXVM_TRACE=kernels:"+lines, "PTXVM_ENGINE=interp")
	s, code := r.StreamCreate(0, 0, 0)
	r.want(code, Success)
	r.want(r.launch(s, r.racy, 2, binary.LittleEndian.AppendUint64(nil, r.at)), Success)
	r.runs(r.racy, r.other)
	r.Leave(0, false)
	r.Leave(0, false) // says it once
	for _, want := range []string{"launches", "  racy(unsigned int*)\n", "  other\n"} {
		if strings.Count(r.said(), want) != 1 {
			t.Errorf("%q is not once in %q", want, r.said())
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var have struct {
		Schema int
		Stats  []*tally
	}
	if err := json.Unmarshal(text, &have); err != nil || len(have.Stats) != 2 {
		t.Fatalf("%v: %s", err, text)
	}
	for _, k := range have.Stats {
		if want := map[string]int{"_Z4racyPj": 2, "other": 1}[k.Kernel]; k.Launches != want || k.ElapsedNs <= 0 || k.LaneOps == 0 || k.Engines["interp"] != 1 {
			t.Errorf("%+v", k)
		}
	}
	if text, err = os.ReadFile(lines); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Fatalf("%v: %s", err, text)
	}
	if !strings.Contains(string(text), "kernel racy(unsigned int*) grid=(2,1,1) block=(64,1,1) shared=0 stream=0x") {
		t.Errorf("%s", text)
	}
}

// dependents are a kernel that lets the one behind it begin before it writes, and two that read what it writes: one
// waits.
const dependents = `.version 8.0
.target sm_90
.address_size 64
.visible .entry front(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t;
	griddepcontrol.launch_dependents;
	ld.param.u64 %a, [at]; mov.u32 %t, %ctaid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	st.global.u32 [%a], 7;
	ret;
}
.visible .entry early(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t;
	ld.param.u64 %a, [at]; mov.u32 %t, %ctaid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	ld.global.u32 %t, [%a]; st.global.u32 [%a+256], %t;
	griddepcontrol.launch_dependents;
	ret;
}
.visible .entry late(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t;
	griddepcontrol.wait;
	ld.param.u64 %a, [at]; mov.u32 %t, %ctaid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	ld.global.u32 %t, [%a]; st.global.u32 [%a+256], %t;
	ret;
}
`

// TestBeside: with a seed a programmatic launch begins before the kernel in front of it has written; one that waits
// has what it writes, as has everything without a seed or without the attribute. What comes behind comes behind both.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		kernel       string
		seed         uint64
		programmatic bool
		want         uint32
	}{{"early", 1, true, 0}, {"late", 1, true, 7}, {"early", 0, true, 7}, {"early", 1, false, 7}} {
		for _, engine := range []vm.Engine{vm.Interp, vm.Auto} {
			r := newRig(t, Config{Device: vm.DeviceConfig{Seed: c.seed, Engine: engine, Workers: 1}}) // all CTAs stay together
			h, _, code := r.Load([][]byte{[]byte(dependents)})
			r.want(code, Success)
			s, code := r.StreamCreate(0, StreamNonBlocking, 0)
			r.want(code, Success)
			at := r.alloc(512)
			launch := func(name string, programmatic bool) {
				f, code := r.Function(0, h, name)
				r.want(code, Success)
				params := binary.LittleEndian.AppendUint64(nil, at)
				r.want(r.Launch(0, s, f, Launch{Grid: vm.Dim3{X: 16, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}, Programmatic: programmatic,
					Buffer: address(params), BufferSize: uint64(len(params))}), Success)
			}
			for range 3 {
				r.want(r.Fill(0, s, Place{Addr: at}, 0, 4, Box{512, 1, 1}, AsyncCall), Success)
				launch("front", false)
				launch(c.kernel, c.programmatic)
				r.want(r.StreamSynchronize(0, s), Success)
				for i, v := range r.read32(at+256, 16) {
					if v != c.want {
						t.Fatalf("%+v, %v: word %d is %d, want %d", c, engine, i, v, c.want)
					}
				}
			}
		}
	}
}

// read32 reads words of the device.
func (r *rig) read32(at uint64, n int) (list []uint32) {
	for b := range slices.Chunk(r.read(at, uint64(n)*4), 4) {
		list = append(list, binary.LittleEndian.Uint32(b))
	}
	return list
}
