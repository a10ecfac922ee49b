package cudart

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// captured are programs whose launches are captured and run again, of several devices and with memory of the host, too. The others take
// long, or launch nothing.
var captured = []string{
	"assert", "asynccopy", "atomics", "bilateral", "bitonic", "both", "bounds", "capture", "cluster", "conv", "copies", "cubemap", "driver_graph", "driver_texture", "events", "gates", "gradient", "graph", "groups", "halfs", "library", "link", "linkptx", "lock", "managed", "matmul", "memory", "misaligned", "multi",
	"objects", "openmp", "peers", "pools", "printing", "reduce", "registered", "reset", "streams", "surface", "texture", "tma", "vectoradd", "views", "volume", "wmma",
}

// TestCaptures: launches of programs are captured and run again from their folders, in every engine, to the same bytes, or to the same
// fault; and under sanitizers with the same reports. The third launch of a program is as good as the first.
func TestCaptures(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	for _, source := range sources(t, programs.all) {
		name := strings.TrimSuffix(filepath.Base(source), ".cu")
		if !slices.Contains(captured, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := read(t, source)
			p := &captive{want: want, libraries: libraries, command: command}
			p.program = []string{Program(t, libraries, append([]string{source}, want.with...), want.flags...)}
			p.everywhere(t)
		})
	}
}

// TestPythonCaptures: so are launches of numba and Triton.
func TestPythonCaptures(t *testing.T) {
	needPrograms(t)
	python := interpreter(t)
	libraries, command := Libraries(t), ptxvm(t)
	wanted := regexp.MustCompile("^(" + *clientNames + ")$")
	for _, client := range []string{"numba", "triton"} {
		if *clientNames != "" && !wanted.MatchString(client) {
			continue
		}
		t.Run(client, func(t *testing.T) {
			env := []string{"PYTHONDONTWRITEBYTECODE=1", "TRITON_CACHE_DIR=" + t.TempDir()}
			script := filepath.Join(Root(t), "testdata", "python", "client_"+client+".py")
			p := &captive{want: expected{env: env}, libraries: libraries, command: command, program: []string{python, script}}
			p.everywhere(t)
		})
	}
}

// captive is a program whose launches are captured.
type captive struct {
	want               expected
	libraries, command string
	program            []string // with its arguments
}

// everywhere runs launches again, without sanitizers and with those that look at one launch alone.
func (p *captive) everywhere(t *testing.T) {
	t.Helper()
	p.replays(t)
	p.replays(t, "--sanitize", "mem,init,race,sync,async")
	p.third(t)
}

// execute runs ptxvm with arguments, and returns its exit status and what it says.
func (p *captive) execute(t *testing.T, args ...string) (exit int, said string) {
	t.Helper()
	cmd := exec.Command(p.command, args...)
	cmd.Env = append(append(os.Environ(), "PTXVM_LIB="+p.libraries), p.want.env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

// reasons are the faults and reports of report.json of a capture, or of run --report, by their ids.
func reasons(t *testing.T, name string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	var r struct {
		Fault     *struct{ ID string }
		Sanitizer []struct{ ID string }
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(name, err)
	}
	if r.Fault != nil {
		ids = append(ids, r.Fault.ID)
	}
	for _, one := range r.Sanitizer {
		ids = append(ids, one.ID)
	}
	return ids
}

// failed reports whether the captured launch did not run to its end in silence.
func failed(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "report.json"))
	return err == nil
}

// replays captures the first launch that faults or is reported, else the first, and runs it again.
func (p *captive) replays(t *testing.T, flags ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kept")
	_, said := p.execute(t, slices.Concat([]string{"exec"}, flags, []string{"--capture", dir}, p.program)...)
	if !strings.Contains(said, "ptxvm run @"+dir) {
		t.Fatalf("no word of %s in %s", dir, said)
	}
	p.again(t, dir, flags...)
}

// again runs a captured launch in every engine.
func (p *captive) again(t *testing.T, dir string, flags ...string) {
	t.Helper()
	want := reasons(t, filepath.Join(dir, "report.json"))
	for _, engine := range []string{"interp", "jit"} {
		report := filepath.Join(t.TempDir(), "report.json")
		exit, said := p.execute(t, slices.Concat([]string{"run", "@" + filepath.Join(dir, "launch.txt"), "--engine", engine, "--report", report}, flags)...)
		have := reasons(t, report)
		if strings.Contains(said, "memory is not as") || (exit != 0) != failed(dir) || !slices.Equal(have, want) {
			t.Errorf("%s %v: exit %d, %q, captured %q\n%s", engine, flags, exit, have, want, said)
		}
		if _, err := os.Stat(filepath.Join(dir, "after.sha256")); err != nil && !failed(dir) {
			t.Logf("what the launch left is not known: %v", err)
		}
	}
}

// third captures the third launch of the program, if there is one.
func (p *captive) third(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "third")
	exit, said := p.execute(t, append([]string{"exec", "--capture", ":3", dir}, p.program...)...)
	if _, err := os.Stat(dir); err == nil {
		p.again(t, dir)
		return
	}
	if p.want.exit == 0 && (exit != 3 || !strings.Contains(said, "launch 3 of the kernels that --capture means never came")) {
		t.Errorf("exit %d: %s", exit, said)
	}
}
