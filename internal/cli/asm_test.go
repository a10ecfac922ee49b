package cli_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestDumpAsm: the listing has the instructions of a kernel and what became of them.
func TestDumpAsm(t *testing.T) {
	src, err := os.ReadFile("../../testdata/cuda/saxpy.sm_90.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := cli.Dump(&b, "saxpy.ptx", src, "asm"); errors.Is(err, vm.ErrNoJIT) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"saxpy, 256×1×1 threads: ", "# all lanes, from 0\n", "#    17  fma.rn.f32 %f4, %f2, %f1, %f3\n", " vfmadd", "# some lanes, from 0\n", "# leave before 14\n", "# enter at 0\n"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("no %q in the listing", want)
		}
	}
}

// TestDumpShape: code is that for the block that a kernel requires.
func TestDumpShape(t *testing.T) {
	const src = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k .reqntid 16, 16 { ret; }\n"
	var b bytes.Buffer
	if err := cli.Dump(&b, "k.ptx", []byte(src), "asm"); errors.Is(err, vm.ErrNoJIT) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if want := "k, 16×16×1 threads: "; !bytes.Contains(b.Bytes(), []byte(want)) {
		t.Errorf("no %q in %s", want, b.Bytes())
	}
}
