package cudart

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// expected is what a program's first comment says: lines "exit: N", "stdout: TEXT", "stderr: TEXT", "flags: …",
// "with: FILE", "env: NAME=VALUE". Without an exit the program ends with 0 and prints PASSED.
type expected struct {
	exit             int
	stdout, stderr   []string
	flags, with, env []string
}

func read(t *testing.T, source string) (want expected) {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	given := false
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "// ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
		switch key {
		case "exit":
			given = true
			if want.exit, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		case "stdout":
			want.stdout = append(want.stdout, value)
		case "stderr":
			want.stderr = append(want.stderr, value)
		case "flags":
			want.flags = append(want.flags, strings.Fields(value)...)
		case "with":
			want.with = append(want.with, filepath.Join(filepath.Dir(source), value))
		case "env":
			want.env = append(want.env, value)
		}
	}
	if !given {
		want.stdout = append(want.stdout, "PASSED")
	}
	return want
}

// selection is which programs run: none, those of .ci/run, or all.
type selection struct{ on, all bool }

func (s *selection) String() string   { return map[bool]string{false: "", true: "all"}[s.all] }
func (s *selection) IsBoolFlag() bool { return true }

func (s *selection) Set(text string) (err error) {
	if s.all = text == "all"; s.all {
		s.on = true
		return nil
	}
	s.on, err = strconv.ParseBool(text)
	return err
}

var programs selection

func init() {
	flag.Var(&programs, "programs", "build the CUDA libraries and programs of testdata/cudart, and run them; =all: every one")
}

// needPrograms skips a test unless programs are to run.
func needPrograms(t *testing.T) {
	t.Helper()
	if !programs.on {
		t.Skip("builds libraries and programs: -programs asks for it (.ci/run), -programs=all for all")
	}
}

// quick are the programs that .ci/run builds: one of each kind.
var quick = []string{"bounds", "capture", "driver_graph", "fork", "graph", "link", "linkptx", "openmp", "reset", "streams", "texture"}

// sources lists the programs; whole leaves none out.
func sources(t *testing.T, whole bool) (list []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Root(t), "testdata", "cudart", "*.cu"))
	if err != nil || len(all) == 0 {
		t.Fatal("no programs", err)
	}
	for _, source := range all {
		name := strings.TrimSuffix(filepath.Base(source), ".cu")
		if strings.HasSuffix(name, "_part") || !whole && !slices.Contains(quick, name) {
			continue // compiled with another, or left out
		}
		list = append(list, source)
	}
	return list
}

// large are programs that sanitizers make too slow, or that fork a process which they would watch, too.
var large = []string{"cub", "fork", "jacobi", "openmp", "speed", "thrust", "thrustmore"}

// unordered are programs that read what a kernel writes behind an event in its course, which orders nothing by the rules (trigger.go): races
// are reported there.
var unordered = []string{"driver_module"}

// TestPrograms builds programs of testdata/cudart and runs them by ptxvm exec, in both engines. What is right and small
// runs under all sanitizers, too, which must have nothing to say.
func TestPrograms(t *testing.T) {
	needPrograms(t)
	libraries := Libraries(t)
	command := ptxvm(t)
	for _, source := range sources(t, programs.all) {
		t.Run(strings.TrimSuffix(filepath.Base(source), ".cu"), func(t *testing.T) {
			want := read(t, source)
			program := Program(t, libraries, append([]string{source}, want.with...), want.flags...)
			for _, engine := range []string{"interp", "auto"} {
				run(t, want, libraries, command, "exec", "--engine", engine, program)
			}
			if name := strings.TrimSuffix(filepath.Base(source), ".cu"); want.exit == 0 && len(want.stderr) == 0 && !slices.Contains(large, name) {
				checks := "all"
				if slices.Contains(unordered, name) {
					checks = "mem,init,sync,leak,async"
				}
				run(t, want, libraries, command, "exec", "--sanitize", checks, program)
			}
		})
	}
}

// TestFunctions: the programs together call the functions that public programs call most (frequent.txt), and there
// are as many programs as were promised.
func TestFunctions(t *testing.T) {
	list := sources(t, true)
	var text strings.Builder
	for _, source := range list {
		text.WriteString(readText(t, source))
	}
	called := map[string]bool{}
	for _, name := range regexp.MustCompile(`\bcuda[A-Z]\w*`).FindAllString(text.String(), -1) {
		called[name] = true
	}
	n := 0
	for line := range strings.Lines(readText(t, filepath.Join(Root(t), "testdata", "cudart", "frequent.txt"))) {
		if line[0] == '#' {
			continue
		}
		for _, name := range strings.Fields(line) {
			if n++; !called["cuda"+name] {
				t.Errorf("no program calls cuda%s", name)
			}
		}
	}
	if n < 155 || len(list) < 40 {
		t.Errorf("%d functions, %d programs; want 155 and 40", n, len(list))
	}
	demandSupported(t, called, "libcudart.so.13", "cuda", 250)
}

// demandSupported: each function of a library whose listed name has a prefix is called, and there are as many as were.
func demandSupported(t *testing.T, called map[string]bool, library, prefix string, least int) {
	t.Helper()
	_, table, _ := strings.Cut(readText(t, filepath.Join(Root(t), "docs", "cuda-functions.md")), "\n## "+library+"\n")
	table, _, _ = strings.Cut(table, "\n### Not there")
	supported := regexp.MustCompile("`("+prefix+"\\w+)`").FindAllStringSubmatch(table, -1)
	for _, match := range supported {
		if !called[match[1]] {
			t.Errorf("no program calls %s, which is listed as supported", match[1])
		}
	}
	if len(supported) < least {
		t.Errorf("%d functions are listed as supported", len(supported))
	}
}

// TestExec: what keeps a program from running is said before it starts, with an exit status of its own; arguments
// and exit status are the program's.
func TestExec(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	source := filepath.Join(Root(t), "testdata", "cudart", "vectoradd.cu")
	shared := Program(t, libraries, []string{source})
	run(t, expected{exit: 125, stderr: []string{"libptxvm.so are not in /nowhere"}}, "/nowhere", command, "exec", shared)
	run(t, expected{exit: 125, stderr: []string{"no-such-program"}}, libraries, command, "exec", "no-such-program")
	code := Program(t, libraries, []string{source}, "-gencode", "arch=compute_90,code=sm_90", NoLines)
	run(t, expected{exit: 125, stderr: []string{"machine code for sm_90 only", "code=compute_90"}}, libraries, command, "exec", code)
	newer := Program(t, libraries, []string{source}, "-gencode", "arch=compute_100,code=compute_100")
	run(t, expected{stdout: []string{"PASSED"}}, libraries, command, "exec", newer)
	run(t, expected{exit: 125, stderr: []string{"PTX for sm_100, which sm_90 cannot run"}}, libraries, command, "exec", "--arch", "sm_90", newer)
	run(t, expected{stdout: []string{"/libnvrtc.so.13", "/libnvJitLink.so.13", "set ", "/ptxas", "own"}, env: []string{"TRITON_PTXAS_BLACKWELL_PATH=own"}}, libraries, command,
		"exec", "sh", "-c", `echo "$LD_PRELOAD ${TRITON_LIBCUDA_PATH:+set} $TRITON_PTXAS_PATH $TRITON_PTXAS_BLACKWELL_PATH"; "$TRITON_PTXAS_PATH" --version`)
	shown := `echo "preload $LD_PRELOAD; caching $PYTORCH_NO_CUDA_MEMORY_CACHING; link $LIBRARY_PATH; exec $PTXVM_EXEC"`
	run(t, expected{stdout: []string{"/libcudart.so.13", "caching 1;", "link /own:" + libraries + ";", "exec " + libraries}, env: []string{"LIBRARY_PATH=/own"}}, libraries, command, "exec", "sh", "-c", shown)
	run(t, expected{stdout: []string{"caching ;", "link " + libraries + ";"}, env: []string{"LIBRARY_PATH=", "PYTORCH_NO_CUDA_MEMORY_CACHING=0"}}, libraries, command, "exec", "sh", "-c", shown)
	run(t, expected{exit: 7, stdout: []string{"--seed 2"}, stderr: []string{"--seed stands behind the program"}}, libraries, command, "exec", "--devices", "2", "sh", "-c", `echo "$1 $PTXVM_DEVICES"; exit 7`, "sh", "--seed")
}

// TestRpath: a program that names a folder of its own for libraries gets ours in spite of that, and is told so.
func TestRpath(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	decoy := t.TempDir()
	empty := exec.Command("gcc", "-shared", "-o", filepath.Join(decoy, "libcudart.so.13"), "-x", "c", "-")
	empty.Stdin = strings.NewReader("int nothing;")
	if out, err := empty.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(t.TempDir(), "rpath")
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	build := exec.Command(compiler, "-cudart", "shared", "-L", libraries, "-o", program, filepath.Join(Root(t), "testdata", "cudart", "vectoradd.cu"),
		"-Xlinker", "-rpath,"+decoy, "-Xlinker", "--disable-new-dtags")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run(t, expected{stdout: []string{"PASSED"}, stderr: []string{"RPATH"}}, libraries, command, "exec", program)
}

// TestBundle: a command that carries the libraries unpacks them at their first use, into the user's cache, and again if one is
// damaged; programs run on them, and PTXVM_LIB comes first.
func TestBundle(t *testing.T) {
	needPrograms(t)
	libraries := Libraries(t)
	dir := t.TempDir()
	goCommand(t, "run", "./internal/gen/bundle", libraries, filepath.Join(dir, "libraries.zip"))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(Root(t), "cmd", "ptxvm", "libraries.zip"): filepath.Join(dir, "libraries.zip")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(dir, "ptxvm")
	goCommand(t, "build", "-tags=cudart", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", command, "./cmd/ptxvm")
	program := Program(t, libraries, []string{filepath.Join(Root(t), "testdata", "cudart", "vectoradd.cu")})
	want := expected{stdout: []string{"PASSED"}, env: []string{"XDG_CACHE_HOME=" + filepath.Join(dir, "cache")}}
	run(t, want, "", command, "exec", program)
	unpacked, err := filepath.Glob(filepath.Join(dir, "cache", "ptxvm", "*", "libptxvm.so"))
	if err != nil || len(unpacked) != 1 {
		t.Fatalf("unpacked: %v %v", unpacked, err)
	}
	if err := os.Truncate(unpacked[0], 100); err != nil {
		t.Fatal(err)
	}
	run(t, want, "", command, "exec", program)
	want.stdout = []string{filepath.Dir(unpacked[0]) + "\n"}
	run(t, want, "", command, "cudart")
	want.stdout = []string{libraries}
	run(t, want, libraries, command, "cudart")
	if left, err := filepath.Glob(filepath.Join(dir, "cache", "ptxvm", "*", "libptxvm.so")); err != nil || len(left) != 1 {
		t.Errorf("the cache holds %v %v", left, err)
	}
}

// goCommand runs the Go command in the repository.
func goCommand(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = Root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}

// TestTrace: a trace has each call with what it stored, what it answered and the kernel's name; a report has the fault.
func TestTrace(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	source := filepath.Join(Root(t), "testdata", "cudart", "bounds.cu")
	want := read(t, source)
	program := Program(t, libraries, []string{source}, want.flags...)
	trace, report := filepath.Join(t.TempDir(), "calls"), filepath.Join(t.TempDir(), "report")
	run(t, want, libraries, command, "exec", "--trace", "calls:"+trace, "--report", report, program)
	lines := readText(t, trace)
	for _, line := range []string{
		`(?m)^cudaMalloc\(out=0x[0-9a-f]+ → 0x200000000000, size=4000\) = 0, [0-9.]+ us$`,
		`(?m)^(__cudaLaunchKernel|cudaLaunchKernel)\(\w+=_Z5shiftPfPKfi, grid=\(4,1,1\), block=\(256,1,1\), .*\) = 0, `,
		`(?m)^cudaDeviceSynchronize\(\) = 700 cudaErrorIllegalAddress, `,
	} {
		if !regexp.MustCompile(line).MatchString(lines) {
			t.Errorf("no line %s in\n%s", line, lines)
		}
	}
	if text := readText(t, report); !strings.Contains(text, `"error":700,`) || !strings.Contains(text, `"code":"P7001"`) {
		t.Errorf("the report: %s", text)
	}
	failed := filepath.Join(t.TempDir(), "errors")
	run(t, want, libraries, command, "exec", "--trace", "errors:"+failed, program)
	if text := readText(t, failed); strings.Contains(text, ") = 0") || !strings.Contains(text, "cudaDeviceSynchronize() = 700") {
		t.Errorf("the calls that fail: %s", text)
	}
	want.stderr, want.env = append(want.stderr, "want calls, errors or kernels"), []string{"PTXVM_TRACE=all"}
	run(t, want, libraries, command, "exec", program)
}

func run(t *testing.T, want expected, libraries, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(append(os.Environ(), "PTXVM_LIB="+libraries), want.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	ok := cmd.ProcessState.ExitCode() == want.exit
	for _, text := range want.stdout {
		ok = ok && strings.Contains(out.String(), text)
	}
	for _, text := range want.stderr {
		ok = ok && strings.Contains(errs.String(), text)
	}
	if ok && len(want.stderr) == 0 {
		ok = errs.Len() == 0
	}
	if !ok {
		t.Errorf("%v: exit %d, want %d %q %q\n%s%s", args, cmd.ProcessState.ExitCode(), want.exit, want.stdout, want.stderr, &out, &errs)
	}
}
