package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ptxvm/internal/isa"
)

var (
	productsWhole = flag.Bool("products", false, "hold every way of every product to the table of the device, not one way of each")
	productsOnly  = flag.String("products.only", "", "statements that begin so")
)

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
	target, _ := isa.ParseTarget("sm_90a")
	checked, refused, faulty := 0, 0, 0
	for i, p := range products(target) {
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
	t.Logf("%d statements agree or differ, %d are not executed, %d the device refuses", checked, refused, faulty)
}

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
