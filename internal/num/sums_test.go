// Every operand of the approximate functions against what a device computed, as checksums
// (docs/oracle.md: oracle sums).

package num

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"strings"
	"testing"
)

var (
	allSums  = flag.Bool("sums", false, "all operands of the approximate functions, not some blocks")
	onlySums = flag.String("sums.only", "", "functions that begin so")
)

// sumOf is the number of operands of one checksum; a row has up to 16 of them.
const sumOf = 1 << 24

// swept is a function with one operand: of 32 bits, of 64 of which the upper word is swept, or
// of 16.
type swept struct {
	f32, f16 func(uint32) uint32
	f64      func(uint64) uint64
}

var sweptFunctions = map[string]swept{
	"rcp.approx.f32": {f32: RcpApproxF32}, "rcp.approx.ftz.f32": {f32: RcpApproxFtzF32},
	"rsqrt.approx.f32": {f32: RsqrtApproxF32}, "rsqrt.approx.ftz.f32": {f32: RsqrtApproxFtzF32},
	"sqrt.approx.f32": {f32: SqrtApproxF32}, "sqrt.approx.ftz.f32": {f32: SqrtApproxFtzF32},
	"sin.approx.f32": {f32: SinApproxF32}, "sin.approx.ftz.f32": {f32: SinApproxFtzF32},
	"cos.approx.f32": {f32: CosApproxF32}, "cos.approx.ftz.f32": {f32: CosApproxFtzF32},
	"lg2.approx.f32": {f32: Lg2ApproxF32}, "lg2.approx.ftz.f32": {f32: Lg2ApproxFtzF32},
	"ex2.approx.f32": {f32: Ex2ApproxF32}, "ex2.approx.ftz.f32": {f32: Ex2ApproxFtzF32},
	"tanh.approx.f32":    {f32: TanhApproxF32},
	"rcp.approx.ftz.f64": {f64: RcpApproxFtzF64}, "rsqrt.approx.ftz.f64": {f64: RsqrtApproxFtzF64},
	"rsqrt.approx.f64": {f64: RsqrtApproxF64},
	"ex2.approx.f16":   {f16: Ex2ApproxF16}, "ex2.approx.ftz.bf16": {f16: Ex2ApproxFtzBF16},
	"tanh.approx.f16": {f16: TanhApproxF16}, "tanh.approx.bf16": {f16: TanhApproxBF16},
	"ex2.approx.f16x2": {f32: Ex2ApproxF16x2}, "ex2.approx.ftz.bf16x2": {f32: Ex2ApproxFtzBF16x2},
	"tanh.approx.f16x2": {f32: TanhApproxF16x2}, "tanh.approx.bf16x2": {f32: TanhApproxBF16x2},
}

// sum is the CRC-32C of the results for the operands from the given one on, step apart, up to
// 2^24 of them.
func (w swept) sum(from, step uint64) uint32 {
	const part = 1 << 14
	operands := uint64(1 << 32)
	if w.f16 != nil {
		operands = 1 << 16
	}
	table, sum := crc32.MakeTable(crc32.Castagnoli), uint32(0)
	buf := make([]byte, 0, 8*part)
	for n, x := 0, from; n < sumOf && x < operands; n, x = n+1, x+step {
		switch {
		case w.f32 != nil:
			buf = binary.LittleEndian.AppendUint32(buf, w.f32(uint32(x)))
		case w.f16 != nil:
			buf = binary.LittleEndian.AppendUint32(buf, w.f16(uint32(x)))
		default:
			buf = binary.LittleEndian.AppendUint64(buf, w.f64(x<<32))
		}
		if len(buf) >= 4*part {
			sum, buf = crc32.Update(sum, table, buf), buf[:0]
		}
	}
	return crc32.Update(sum, table, buf)
}

// TestApproxSums compares a sample of each function's operands, with -sums all of them.
func TestApproxSums(t *testing.T) {
	text, err := os.ReadFile("testdata/hw/approx-sm_90.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if row := strings.Fields(line); row[0] != "#" && strings.HasPrefix(row[0], *onlySums) {
			seen[row[0]] = true
			compareSums(t, row)
		}
	}
	if len(seen) != len(sweptFunctions) && *onlySums == "" {
		t.Errorf("the table has %d functions, want %d", len(seen), len(sweptFunctions))
	}
}

// compareSums compares a row of the table: statement, first operand (+step), sums. Rows of
// samples and of 16-bit operands run each time.
func compareSums(t *testing.T, row []string) {
	w, ok := sweptFunctions[row[0]]
	first, by, sample := strings.Cut(row[1], "+")
	if !sample {
		by = "1"
	}
	from, err1 := strconv.ParseUint(first, 0, 32)
	step, err2 := strconv.ParseUint(by, 10, 32)
	if !ok || err1 != nil || err2 != nil {
		t.Fatalf("row %q", row)
	}
	if !*allSums && !sample && w.f16 == nil {
		return
	}
	t.Run(row[0]+"@"+row[1], func(t *testing.T) {
		t.Parallel()
		for i, want := range row[2:] {
			x := from + uint64(i)*sumOf*step
			if have := fmt.Sprintf("%08x", w.sum(x, step)); have != want {
				t.Errorf("%s of %#08x and what follows: checksum %s, the device has %s", row[0], x, have, want)
			}
		}
	})
}
