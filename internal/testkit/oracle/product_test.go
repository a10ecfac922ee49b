package main

import (
	"bufio"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
)

var (
	productsWhole = flag.Bool("products", false, "hold every way of every product to the table of the device, not one way of each")
	productsOnly  = flag.String("products.only", "", "statements that begin so")
)

// hopper are the products of sm_90a, which take a while to find.
var hopper = sync.OnceValue(func() []*product { return products(isa.MustTarget("sm_90a")) })

// TestProducts holds ptxvm to what an H100 answered: 193 statements, 64 cases of each of eight
// ways. A statement that ptxvm does not execute is counted.
func TestProducts(t *testing.T) {
	want := map[string][]string{}
	file, err := os.Open("testdata/products-sm_90.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		f := strings.Fields(s.Text())
		if f[0] != "#" {
			want[strings.Join(f[:len(f)-int(ways)], " ")] = f[len(f)-int(ways):]
		}
	}
	target := isa.MustTarget("sm_90a")
	checked, refused, faulty := 0, 0, 0
	for i, p := range hopper() {
		if !strings.HasPrefix(p.op, *productsOnly) {
			continue
		}
		key, _, _ := strings.Cut((&productAnswer{product: p}).String(), " 00000000")
		sums := want[key]
		if sums == nil {
			faulty++ // the device calls it an illegal instruction
			continue
		}
		var list []way
		for w := range ways {
			if *productsWhole || w == way(i)%ways {
				list = append(list, w)
			}
		}
		if differ, err := p.held(target, list, sums); err != nil {
			refused++
			t.Logf("%s: %v", key, err)
		} else {
			checked++
			for _, d := range differ {
				t.Errorf("%s: %s", key, d)
			}
		}
	}
	if *productsOnly == "" && (checked != 193 || refused != 0 || faulty != 2) {
		t.Errorf("want 193 statements compared, none not executed, 2 that the device refuses")
	}
	t.Logf("%d statements agree or differ, %d are not executed, %d the device refuses", checked, refused, faulty)
}

// TestProductsVerb: what agrees, what differs, and what the device refuses; the table has a line for each
// statement that ran.
func TestProductsVerb(t *testing.T) {
	const some = "mma.sync.aligned.m16n8k8.row.col.f32."
	table := filepath.Join(t.TempDir(), "table")
	f := newFake(t, "sm_90")
	code, out, errs := f.oracle(text, "products", "-only", some, "-o", table)
	if code != exitAgree || !strings.Contains(out, "3 statements, 0 differ, 0 failed, 0 are not executed") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	rows, _ := os.ReadFile(table)
	for line := range strings.Lines(string(rows)) {
		if f := strings.Fields(line); f[0] != "#" && len(f) != 1+int(ways) {
			t.Errorf("row %q", line)
		}
	}
	if n := strings.Count(string(rows), some); n != 3 {
		t.Errorf("%d rows of three", n)
	}
	f.corrupt = func(_ string, out []byte) { out[5]++ }
	if code, out, _ := f.oracle(text, "products", "-only", some+"bf16"); code != exitDiffer || !strings.Contains(out, "8 registers differ") {
		t.Errorf("corrupt: code %d: %s", code, out)
	}
	f.corrupt, f.fault = nil, "product"
	if code, _, errs := f.oracle(text, "products", "-only", some+"bf16"); code != exitDiffer || !strings.Contains(errs, some+"bf16") {
		t.Errorf("fault: code %d: %s", code, errs)
	}
}

// TestProductInputs holds the numbers to what they were when the device was asked.
func TestProductInputs(t *testing.T) {
	h := crc32.New(castagnoli)
	for _, p := range hopper() {
		for w := range ways {
			_, _ = h.Write(p.input(w, 0)) // it never fails
		}
	}
	if sum := h.Sum32(); sum != inputsSum {
		t.Errorf("the inputs have checksum %08x", sum)
	}
}

// inputsSum is of the first case of each way of each statement, one behind the other.
const inputsSum = 0x553c3cbd

// held returns the ways whose checksums differ.
func (p *product) held(target isa.Target, list []way, sums []string) (differ []string, err error) {
	a := &productAnswer{product: p}
	e, err := a.emulator(target)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	for _, w := range list {
		a.results[w], err = e.run(w)
		if err != nil {
			return nil, err
		}
		if have := strings.Fields(a.String())[len(strings.Fields(a.String()))-int(ways):][w]; have != sums[w] {
			differ = append(differ, fmt.Sprintf("way %d: want %s, have %s", w, sums[w], have))
		}
	}
	return differ, nil
}
