package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/num"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// fake is a device that runs PTX on ptxvm: its images are the texts. It writes down what it is
// asked for, and answers wrongly where a test wants it.
type fake struct {
	t       *testing.T
	target  string
	d       *ptxvm.Device
	memory  map[Address]ptxvm.Buffer
	calls   []string
	corrupt func(kernel string, out []byte) // what comes back from memory
	fault   string                          // a kernel that faults
	forever bool                            // a fault is never got over
	lost    bool                            // after a fault nothing works
	kernel  string                          // launched last
	args    [][]byte
}

func newFake(t *testing.T, target string) *fake { return newFakeThat(t, target, "") }

// newFakeThat makes a fake that answers assumptions otherwise.
func newFakeThat(t *testing.T, target, assume string) *fake {
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: target + "a", Workers: 1, Memory: 64 << 20, Assume: assume})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return &fake{t: t, target: target, d: d, memory: map[Address]ptxvm.Buffer{}}
}

func (f *fake) open() (Driver, error) {
	f.calls, f.lost = append(f.calls, "open"), f.lost && f.forever
	return f, nil
}

var errLost = errors.New("CUDA_ERROR_ILLEGAL_ADDRESS")

func (f *fake) call(name string) error {
	f.calls = append(f.calls, name)
	if f.lost {
		return errLost
	}
	return nil
}

func (f *fake) Device() Device { return Device{"fake", f.target} }
func (f *fake) Close() error   { return f.call("close") }

func (f *fake) Alloc(n int) (Address, error) {
	b, err := f.d.Alloc(max(n, 1))
	a := Address(b.Addr())
	f.memory[a] = b
	return a, errors.Join(err, f.call("alloc"))
}

func (f *fake) Free(a Address) error { return errors.Join(f.memory[a].Free(), f.call("free")) }

func (f *fake) Write(a Address, data []byte) error {
	_, err := f.memory[a].WriteAt(data, 0)
	return errors.Join(err, f.call("write"))
}

func (f *fake) Read(a Address, data []byte) error {
	_, err := f.memory[a].ReadAt(data, 0)
	if f.corrupt != nil {
		f.corrupt(f.kernel, data)
	}
	return errors.Join(err, f.call("read"))
}

// fakeArray is an array of ptxvm.
type fakeArray struct {
	f *fake
	ptxvm.Array
}

func (f *fake) NewArray(desc ptxvm.ArrayDesc) (Array, error) {
	a, err := f.d.NewArray(desc)
	return fakeArray{f, a}, errors.Join(err, f.call("array"))
}

func (a fakeArray) Surface() uint64 { return a.Array.Surface().Handle() }
func (a fakeArray) Write(data []byte) error {
	return errors.Join(a.Array.Write(data), a.f.call("fill"))
}
func (a fakeArray) Read(data []byte) error { return errors.Join(a.Array.Read(data), a.f.call("fetch")) }
func (a fakeArray) Free() error            { return errors.Join(a.Array.Free(), a.f.call("release")) }

type fakeModule struct {
	f *fake
	p *ptxvm.Program
}

func (f *fake) Load(image []byte) (Module, error) {
	if err := f.call("load"); err != nil {
		return nil, err
	}
	m, err := ptxvm.Compile("image", image, nil)
	if err != nil {
		return nil, err
	}
	p, err := f.d.Load(m)
	return &fakeModule{f, p}, err
}

func (m *fakeModule) Unload() error { return errors.Join(m.p.Unload(), m.f.call("unload")) }

// Launch holds the argument blocks to the kernel's parameters.
func (m *fakeModule) Launch(kernel string, grid, block [3]uint32, args [][]byte) error {
	m.f.kernel, m.f.args = kernel, args
	if err := m.f.call("launch"); err != nil {
		return kernelFault{err}
	}
	if kernel == m.f.fault {
		m.f.lost = true
		return kernelFault{errLost}
	}
	k, err := m.p.Kernel(kernel)
	if err != nil {
		return err
	}
	var values []any
	for i, p := range k.Info().Params {
		if len(args[i]) != p.Size {
			return fmt.Errorf("argument %d of %s has %d bytes, want %d", i, kernel, len(args[i]), p.Size)
		}
		switch p.Size {
		case 4:
			values = append(values, binary.LittleEndian.Uint32(args[i]))
		case 8:
			values = append(values, binary.LittleEndian.Uint64(args[i]))
		default:
			values = append(values, args[i])
		}
	}
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: grid[0], Y: grid[1], Z: grid[2]}, Block: ptxvm.Dim3{X: block[0], Y: block[1], Z: block[2]}}
	_, err = k.Launch(context.Background(), shape, values...)
	var fault *ptxvm.Fault
	if errors.As(err, &fault) {
		m.f.lost = true
		return kernelFault{errLost}
	}
	return err
}

// text is an assembler whose images are the texts.
func text(ptx string, _ isa.Target) ([]byte, error) { return []byte(ptx), nil }

// oracle runs a command line on the fake.
func (f *fake) oracle(assemble Assembler, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, &o, &e, f.open, assemble)
	return code, o.String(), e.String()
}

const vectorFile = `# A comment.
add.sat.s32 d, a, b              # 9.7.1.1
  0x7fffffff 1  = 0x7fffffff     # manual: clamps to MAXINT
  1 2           = 3              # arithmetic # hw sm_80
sub.s32 d, a, b
  5 3  = 2   # arithmetic
vote.sync.ballot.b32 d, p1, -1
  mask=0xffffffff [1 0*31] = 1   # manual: bit i is lane i's
add.u32 d, a, b
  todo # for the sake of the test
  1 1 = 2 # waits
arch sm_100a
add.f32.f16 d, a, b
  0x3c00 0f3f800000 = 0f40000000 # arithmetic
`

func writeVectors(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "v.txt")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestVectors: one image, its launches in order with their memory, every row marked that the
// device confirms; what the device does not have is counted.
func TestVectors(t *testing.T) {
	f := newFake(t, "sm_90")
	name := writeVectors(t, vectorFile)
	code, out, errs := f.oracle(text, "vectors", "-write", name)
	if code != exitAgree || !strings.Contains(out, "4 rows confirmed, 0 differ, 0 differ as they say, 0 blocks failed, 2 blocks not for this device") {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	launch := "alloc write alloc write alloc write launch read free free free "
	if have, want := strings.Join(f.calls, " "), "open load "+strings.Repeat(launch, 3)+"unload close"; have != want {
		t.Errorf("calls\nhave %s\nwant %s", have, want)
	}
	marked, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := vectorFile
	for _, row := range []string{"clamps to MAXINT", "arithmetic\nvote", "lane i's"} {
		first, rest, _ := strings.Cut(row, "\n")
		marked := first + " # hw sm_90"
		if rest != "" {
			marked += "\n" + rest
		}
		want = strings.Replace(want, row, marked, 1)
	}
	want = strings.Replace(want, "# hw sm_80", "# hw sm_80 sm_90", 1)
	if string(marked) != want {
		t.Errorf("marked\n%s\nwant\n%s", marked, want)
	}
	if again, _, _ := f.oracle(text, "vectors", "-write", name); again != exitAgree {
		t.Errorf("a second run: code %d", again)
	}
	if twice, _ := os.ReadFile(name); !bytes.Equal(twice, marked) {
		t.Errorf("a second run changes the file\n%s", twice)
	}
}

// TestArguments: addresses, mask, operands of lane 0 and the pattern, as the kernels declare them.
func TestArguments(t *testing.T) {
	f := newFake(t, "sm_90")
	name := writeVectors(t, "vote.sync.ballot.b32 d, p1, -1\n  mask=0x0000ffff [1 0*31] = 1 # manual\n")
	if code, out, errs := f.oracle(text, "vectors", name); code != exitAgree {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	var sizes []int
	for _, a := range f.args {
		sizes = append(sizes, len(a))
	}
	if !slices.Equal(sizes, []int{8, 8, 8, 4, 24 * 16, 64}) {
		t.Errorf("sizes of arguments %v", sizes)
	}
	if mask := binary.LittleEndian.Uint32(f.args[3]); mask != 0xffff {
		t.Errorf("mask %#x", mask)
	}
	if f.args[4][0] != 1 || f.args[5][3] != 0x83 {
		t.Errorf("operands %v, pattern %v", f.args[4][:16], f.args[5][:4])
	}
}

// TestDiffer: a wrong result is reported with file, row, want and have, and not marked; the rows
// beside it are.
func TestDiffer(t *testing.T) {
	f := newFake(t, "sm_90")
	f.corrupt = func(kernel string, out []byte) {
		if kernel == "k0" {
			out[16] ^= 0x80 // lane 1: the second row
		}
	}
	name := writeVectors(t, vectorFile)
	code, out, _ := f.oracle(text, "vectors", "-write", name)
	if want := name + ":4: add.sat.s32 d, a, b: lane 1: d: want 0x3 (arithmetic # hw sm_80), have 0x83"; code != exitDiffer || !strings.Contains(out, want) {
		t.Errorf("code %d: %s\nwant %s", code, out, want)
	}
	marked, _ := os.ReadFile(name)
	if !strings.Contains(string(marked), "MAXINT # hw sm_90") || strings.Contains(string(marked), "sm_80 sm_90") {
		t.Errorf("marked\n%s", marked)
	}
}

// TestDifferAsTheySay: a row that says that this device differs is counted, and neither reported nor
// marked, whether it does or not; another device is held to it.
func TestDifferAsTheySay(t *testing.T) {
	rows := "add.u32 d, a, b\n  1 1 = 3 # manual # differs sm_90: 2\n  1 2 = 3 # manual # differs sm_90: sometimes\n"
	for target, want := range map[string]string{"sm_90": "0 rows confirmed, 0 differ, 1 differ as they say", "sm_100": "1 rows confirmed, 1 differ, 0 differ as they say"} {
		name := writeVectors(t, rows)
		code, out, _ := newFake(t, target).oracle(text, "vectors", "-write", name)
		if (code == exitAgree) != (target == "sm_90") || !strings.Contains(out, want) {
			t.Errorf("%s: code %d: %s", target, code, out)
		}
		if marked, _ := os.ReadFile(name); strings.Contains(string(marked), "# hw sm_90") {
			t.Errorf("marked\n%s", marked)
		}
	}
}

// TestFaultOnDevice: a block that faults costs itself alone; the rest runs in a new context.
func TestFaultOnDevice(t *testing.T) {
	f := newFake(t, "sm_90")
	f.fault = "k0"
	code, out, _ := f.oracle(text, "vectors", writeVectors(t, vectorFile))
	if code != exitDiffer || !strings.Contains(out, "v.txt:2: add.sat.s32 d, a, b: CUDA_ERROR_ILLEGAL_ADDRESS") || !strings.Contains(out, "2 rows confirmed, 0 differ, 0 differ as they say, 1 blocks failed") {
		t.Errorf("code %d: %s", code, out)
	}
	if have := strings.Join(f.calls, " "); !strings.Contains(have, "launch close open load") {
		t.Errorf("calls %s", have)
	}
}

// TestAssembleAlone: a kernel that cannot be assembled costs itself alone.
func TestAssembleAlone(t *testing.T) {
	f := newFake(t, "sm_90")
	refuses := func(ptx string, target isa.Target) ([]byte, error) {
		if target.String() != "sm_90a" {
			t.Errorf("an image for %v", target)
		}
		if strings.Contains(ptx, "sub.s32") {
			return nil, errors.New("ptxas: no")
		}
		return []byte(ptx), nil
	}
	code, out, _ := f.oracle(refuses, "vectors", writeVectors(t, vectorFile))
	if code != exitDiffer || !strings.Contains(out, "v.txt:5: sub.s32 d, a, b: ptxas: no") || !strings.Contains(out, "3 rows confirmed, 0 differ, 0 differ as they say, 1 blocks failed") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestSweep: every operand of a conversion; a table, the raw results, and the differences.
func TestSweep(t *testing.T) {
	f := newFake(t, "sm_90")
	dir := t.TempDir()
	table, raw := filepath.Join(dir, "t"), filepath.Join(dir, "r")
	args := []string{"sweep", "-only", "cvt.f32.f16", "-o", table, "-raw", raw, "cvt"}
	code, out, errs := f.oracle(text, args...)
	if code != exitAgree || !strings.Contains(out, "1 functions, 0 differ, 0 failed") {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	if data, err := os.ReadFile(raw); err != nil || len(data) != 4<<16 || binary.LittleEndian.Uint32(data[4*0x3c00:]) != 0x3f800000 {
		t.Errorf("raw results: %d bytes, %v", len(data), err)
	}
	if text, err := os.ReadFile(table); err != nil || !strings.HasPrefix(string(text), "# fake, sm_90\ncvt.f32.f16 ") || !strings.Contains(string(text), " 0x0 65536 ") {
		t.Errorf("table %q, %v", text, err)
	}
	f.corrupt = func(_ string, out []byte) { out[4*5]++ }
	code, out, _ = f.oracle(text, args...)
	if code != exitDiffer || !strings.Contains(out, "0x5: want 0x34a00000, have 0x34a00001") || !strings.Contains(out, "1 functions, 1 differ, 0 failed") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestSweepUpperWord: operands of f64 functions are upper words; a part of them can be swept.
func TestSweepUpperWord(t *testing.T) {
	f := newFake(t, "sm_90")
	code, out, errs := f.oracle(text, "sweep", "-only", "rcp.approx.ftz.f64", "-from", "1074790400", "-count", "3", "approx")
	if code != exitAgree || !strings.Contains(out, "0x40100000 3 ") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}

// TestSums: a checksum of 2^24 operands each, 16 in a row, of what the device answers; nothing is
// compared.
func TestSums(t *testing.T) {
	f := newFake(t, "sm_90")
	dir := t.TempDir()
	table, raw := filepath.Join(dir, "new", "t"), filepath.Join(dir, "r")
	args := []string{"sums", "-only", "rcp.approx.ftz.f32", "-from", "0x3f800000", "-count", "3", "-o", table, "-raw", raw, "approx"}
	code, out, errs := f.oracle(text, args...)
	want := []uint32{0x3f800000, 0x3f7ffffe, 0x3f7ffffc} // 1/(1+2^-23) = 1-2^-23+…
	var data []byte
	for _, w := range want {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	row := fmt.Sprintf("# fake, sm_90\nrcp.approx.ftz.f32 0x3f800000 %08x\n", crc32.Checksum(data, castagnoli))
	if code != exitAgree || out != row {
		t.Errorf("code %d: %s%s, want %s", code, out, errs, row)
	}
	if have, err := os.ReadFile(table); err != nil || string(have) != row {
		t.Errorf("table %q, %v", have, err)
	}
	if have, err := os.ReadFile(raw); err != nil || !bytes.Equal(have, data) {
		t.Errorf("raw results %x, %v", have, err)
	}
	code, out, errs = f.oracle(text, "sums", "-only", "tanh.approx.f16", "-step", "30000", "approx")
	var sample []byte
	for _, w := range []uint32{0, num.TanhApproxF16(30000), num.TanhApproxF16(60000)} {
		sample = binary.LittleEndian.AppendUint32(sample, w)
	}
	if row := fmt.Sprintf("tanh.approx.f16 0x00000000+30000 %08x\n", crc32.Checksum(sample, castagnoli)); code != exitAgree || !strings.Contains(out, row) {
		t.Errorf("code %d: %s%s, want %s", code, out, errs, row)
	}
	if slices.Index(f.calls, "free") < slices.Index(f.calls, "read") || !slices.Contains(f.calls, "unload") {
		t.Errorf("calls %q", f.calls)
	}
}

// TestFunctions: the conversions of sm_90 with narrow sources are there, each once, and ptxvm
// runs their kernels.
func TestFunctions(t *testing.T) {
	list := conversions(isa.MustTarget("sm_90a"))
	seen := map[string]bool{}
	for _, f := range list {
		if seen[f.op] {
			t.Errorf("%s is there twice", f.op)
		}
		seen[f.op] = true
	}
	for _, op := range []string{"cvt.rn.f32.u8", "cvt.sat.u8.s16", "cvt.f64.f16", "cvt.rn.f16x2.e4m3x2", "cvt.rn.relu.f16x2.e5m2x2", "cvt.rn.bf16.u16"} {
		if !seen[op] {
			t.Errorf("%s is missing among %d", op, len(list))
		}
	}
	if n := len(approximations(isa.MustTarget("sm_90a"))); n != 26 {
		t.Errorf("%d approximate functions", n)
	}
}

// TestCommandLine: without a driver the program says so; mistakes are named.
func TestCommandLine(t *testing.T) {
	none := func() (Driver, error) { return nil, fmt.Errorf("%w: libcuda.so.1: not found", errNoDriver) }
	var out, errs bytes.Buffer
	if code := run([]string{"vectors", "x.txt"}, &out, &errs, none, text); code != exitNoGPU || !strings.Contains(errs.String(), "there is no GPU to ask: no CUDA driver: libcuda.so.1") {
		t.Errorf("code %d: %s", code, errs.String())
	}
	f := newFake(t, "sm_90")
	for line, want := range map[string]string{
		"":                        "want vectors, sweep, sums, products or plan",
		"measure":                 `no verb "measure"`,
		"vectors":                 "needs a file",
		"sweep":                   "one of: cvt, surface, approx",
		"sweep tex":               `no functions "tex"`,
		"sweep -only foo cvt":     `begins with "foo"`,
		"sweep -raw r approx":     "-raw is for one function",
		"sums -raw r approx":      "-raw is for one function",
		"sums -step 0 approx":     "-step 0",
		"sums surface":            "surface is a sweep of its own",
		"sweep -raw r surface":    "-raw is for functions",
		"sweep -only tex surface": `no statement of the surface sweep begins with "tex"`,
		"vectors missing.txt":     "missing.txt",
	} {
		if code, _, errs := f.oracle(text, strings.Fields(line)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: code %d: %s", line, code, errs)
		}
	}
}

// TestPlan: conversions first, then surfaces, then the approximate functions; its commands have
// verbs and sweeps that there are.
func TestPlan(t *testing.T) {
	f := newFake(t, "sm_90")
	code, out, _ := f.oracle(text, "plan")
	var order []string
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); words[0] == "oracle" {
			order = append(order, words[1]+" "+words[len(words)-1])
		}
	}
	const vec = "internal/sem/testdata/vec/"
	want := []string{"sweep cvt", "sweep surface", "vectors " + vec + "surface.txt", "sweep approx", "sweep approx", "vectors " + vec + "*.txt", "products internal/testkit/oracle/testdata/products-sm_90.txt"}
	if code != exitAgree || !slices.Equal(order, want) {
		t.Errorf("plan: code %d: %q", code, order)
	}
}

// TestPtxasMakesImages: with ptxas at hand, the kernels of a sweep and of a vector file
// assemble; with -images all of them do.
func TestPtxasMakesImages(t *testing.T) {
	if _, err := ptxas.Find(); err != nil {
		t.Skip(err)
	}
	m := &machine{driver: newFake(t, "sm_90"), assemble: assembleCubin, target: isa.MustTarget("sm_90a")}
	files, functions := []string{"../../sem/testdata/vec/half.txt"}, []*function{{op: "cvt.f32.f16", in: ".b16", out: ".b32", operands: 1}}
	if *images {
		files, _ = filepath.Glob("../../sem/testdata/vec/*.txt")
		functions = append(conversions(m.target), approximations(m.target)...)
	}
	for _, f := range functions {
		if image, err := assembleCubin(f.kernel(m.target), m.target); err != nil || !bytes.HasPrefix(image, []byte("\x7fELF")) {
			t.Errorf("%s: %d bytes, %v", f.op, len(image), err)
		}
	}
	blocks := 0
	for _, name := range files {
		list, err := vec.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, units := range m.batches(list, &outcome{confirmed: map[int]bool{}}) {
			blocks += len(units)
			if _, err := m.image(units); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	t.Logf("%d functions, %d blocks of %d files", len(functions), blocks, len(files))
}

var images = flag.Bool("images", false, "assemble every sweep and vector file")
