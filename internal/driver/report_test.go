package driver

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/sarif"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestReport: the file gets an object for the fault and one for the module that is no PTX, and nothing for what goes well.
func TestReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.jsonl")
	r := newRig(t, Config{Report: path})
	f, at := r.function("add"), r.alloc(400)
	r.want(r.launch(0, f, 1, addParams(at, 1, 100)), Success)
	r.want(r.Synchronize(0), Success)
	if _, _, code := r.Load([][]byte{[]byte(".version 8.0\n.target sm_75\n.entry k() { add.s23 a, b, c; }")}); code != InvalidPTX {
		t.Errorf("code %d", code)
	}
	r.want(r.launch(0, f, 2, addParams(at, 1, 101)), Success)
	if code := r.Synchronize(0); code != IllegalAddress {
		t.Errorf("code %d", code)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	var list [2]struct {
		Error   Code
		Message string
		Fault   *struct {
			Code, Kernel, ID, Address string
			CTA, Thread               [3]uint32
			Size                      int
			PTX                       vm.Location
			Calls                     []vm.Location
		}
	}
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	if list[0].Error != InvalidPTX || list[0].Fault != nil || !strings.Contains(list[0].Message, "s23") {
		t.Errorf("the module: %+v", list[0])
	}
	g := list[1].Fault
	if list[1].Error != IllegalAddress || g == nil || g.Code != "P7001" || g.Kernel != "add" || g.CTA != [3]uint32{1} || g.Thread != [3]uint32{36} || g.Size != 4 || g.PTX.Line == 0 ||
		g.ID == "" || g.Address != fmt.Sprintf("%#x", at+400) || g.Calls == nil {
		t.Errorf("the fault: %+v", g)
	}
	if _, err := New(Config{Report: filepath.Join(path, "no")}, Host{}); err == nil {
		t.Error("a file that cannot be opened is no error")
	}
}

// TestDefects: a panic in a call or in a stream is 999, with a message that says whose fault it is; the process goes on.
func TestDefects(t *testing.T) {
	r := newRig(t, Config{})
	r.host.Call = func(uint64, uint64) { panic("by this test") }
	r.want(r.HostFunction(0, 0, 1, 0), Success)
	r.want(r.Synchronize(0), Unknown)
	_, code := r.Alloc(0, 8, MemoryDevice)
	r.want(code, Unknown)

	r = newRig(t, Config{})
	r.devices = append(r.devices, nil) // so that calls for the second device panic
	_, code = r.Alloc(1, 8, MemoryDevice)
	r.devices = r.devices[:1]
	r.want(code, Unknown)
	r.want(r.Sticky(), Success)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "this is a bug of ptxvm") {
		t.Errorf("reports: %q", r.errors)
	}
}

// TestRunning: a kernel that runs is named, with how far it is where that is counted.
func TestRunning(t *testing.T) {
	for _, counted := range []bool{false, true} {
		r := newRig(t, Config{Progress: counted})
		if text := r.Running(); text != "ptxvm: no kernel runs\n" {
			t.Errorf("idle: %q", text)
		}
		at := r.alloc(4)
		r.want(r.launch(0, r.function("wait"), 1, addParams(at, 0, 0)[:8]), Success)
		want := "kernel wait has run for "
		if counted {
			want = "of 1 CTAs are done"
		}
		text := ""
		for end := time.Now().Add(20 * time.Second); !strings.Contains(text, want) && time.Now().Before(end); time.Sleep(time.Millisecond) {
			text = r.Running()
		}
		if !strings.Contains(text, want) {
			t.Errorf("running: %q, want %q", text, want)
		}
		other, code := r.StreamCreate(0, StreamNonBlocking, 0)
		r.want(code, Success)
		r.want(r.Fill(0, other, Place{Addr: at}, 1, 4, Box{4, 1, 1}, SyncCall), Success)
		r.want(r.Synchronize(0), Success)
		if text := r.Running(); text != "ptxvm: no kernel runs\n" {
			t.Errorf("afterwards: %q", text)
		}
	}
}

// TestPatience: a kernel is spoken of every ten seconds of its own time.
func TestPatience(t *testing.T) {
	var r running
	w := &kernelWork{on: &loaded{kernel: new(vm.Kernel)}}
	r.begin(w)
	spoken := 0
	for at := time.Duration(0); at < 35*time.Second; at += 100 * time.Millisecond {
		if r.note(vm.Progress{Kernel: "k", Elapsed: at}) {
			spoken++
		}
	}
	if spoken != 3 {
		t.Errorf("spoken of %d times in 35 s", spoken)
	}
}

// TestBounds: with bounds of pages a kernel may pass the end of its buffer, which is said once for each instruction, and a
// copy may not.
func TestBounds(t *testing.T) {
	for _, engine := range []vm.Engine{vm.Interp, vm.Auto} {
		for _, pages := range []bool{false, true} {
			t.Run(fmt.Sprint(engine, pages), func(t *testing.T) { testBounds(t, engine, pages) })
		}
	}
}

func testBounds(t *testing.T, engine vm.Engine, pages bool) {
	path := filepath.Join(t.TempDir(), "reports")
	r := newRig(t, Config{Device: vm.DeviceConfig{Engine: engine, PageBounds: pages}, Report: path})
	at := r.alloc(400)
	to, from, box := row(at, address(make([]byte, 404)), 404)
	if code := r.Copy(0, 0, to, from, box, HostToDevice, SyncCall); code != InvalidValue {
		t.Errorf("a copy past the end: code %d", code)
	}
	want := IllegalAddress
	if pages {
		want = Success
	}
	for range 20 { // compiled in between
		if r.Sticky() == Success {
			r.want(r.launch(0, r.function("add"), 2, addParams(at, 1, 101)), Success)
		}
		if code := r.Synchronize(0); code != want {
			t.Fatalf("code %d, want %d", code, want)
		}
	}
	if !pages {
		return
	}
	said := strings.Join(r.errors, "")
	for _, want := range []string{"warning P7001", "0 bytes past the end of", "400 bytes at", "passed: the launch went on"} {
		if strings.Count(said, want) != 2 { // the load and the store of add
			t.Errorf("said %d times, want 2: %q in\n%s", strings.Count(said, want), want, said)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 || !strings.Contains(string(text), `"error":0`) || !strings.Contains(string(text), `"code":"P7001"`) {
		t.Errorf("the file of reports, %v:\n%s", err, text)
	}
	r.want(r.launch(0, r.function("add"), 1, addParams(at+2<<20, 1, 1)), Success)
	if code := r.Synchronize(0); code != IllegalAddress {
		t.Errorf("past the page: code %d", code)
	}
}

// TestReportLog: a name that ends in .sarif gets a log, to which processes add; what two of them report stands once.
func TestReportLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.sarif")
	for range 2 {
		r := newRig(t, Config{Report: path})
		f, at := r.function("add"), r.alloc(400)
		r.want(r.launch(0, f, 2, addParams(at, 1, 101)), Success)
		if code := r.Synchronize(0); code != IllegalAddress {
			t.Errorf("code %d", code)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := sarif.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if why := sarif.GitHubRefuses(log); why != "" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatalf("%s %+v", why, log.Runs)
	}
	if one := log.Runs[0].Results[0]; one.RuleID != "P7001" || one.Occurrences != 2 || log.Runs[0].Automation.ID != "ptxvm/exec/" {
		t.Errorf("%+v", one)
	}
}

// TestHolder: what cannot run is called by the file that holds it, and a library may have its own words.
func TestHolder(t *testing.T) {
	r := newRig(t, Config{})
	code := make([]byte, 16+64+8) // a fat binary with intermediate code alone
	binary.LittleEndian.PutUint64(code, 0x0010_0001_ba55_ed50)
	binary.LittleEndian.PutUint64(code[8:], 64+8)
	binary.LittleEndian.PutUint32(code[16:], 8)
	binary.LittleEndian.PutUint32(code[20:], 64)
	binary.LittleEndian.PutUint64(code[24:], 8)
	for want, from := range map[string]Holder{
		"the program cannot run here: it holds intermediate code": {}, "./a.out cannot run here: it holds intermediate code": {File: "./a.out"},
		"libx holds machine code": {File: "libx.so", Without: "libx holds machine code"},
	} {
		if _, log, code := r.LoadFrom([][]byte{code}, from); code != NoBinary || !strings.HasPrefix(log, want) {
			t.Errorf("%+v: %d %s", from, code, log)
		}
	}
}
