// Vector files: one line a case, each naming a function of this package.

package num

import (
	"bufio"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// vectorNumber parses a hexadecimal number, or a decimal one ending in a dot.
func vectorNumber(t *testing.T, s string) uint64 {
	base := 16
	if d, ok := strings.CutSuffix(s, "."); ok {
		s, base = d, 10
	}
	v, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVectors(t *testing.T) {
	for _, name := range []string{"testdata/int.txt", "testdata/float.txt"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		for line := 1; s.Scan(); line++ {
			w := strings.Fields(s.Text())
			if len(w) == 0 || w[0][0] == '#' {
				continue
			}
			if want, got := vectorNumber(t, w[len(w)-1]), callVector(t, w[0], w[1:len(w)-2]); got != want {
				t.Errorf("%s:%d: %s: got %x", name, line, s.Text(), got)
			}
		}
	}
}

// callVector calls the named function on the parsed arguments.
func callVector(t *testing.T, name string, args []string) uint64 {
	f := reflect.ValueOf(functions[name])
	if !f.IsValid() || f.Type().NumIn() != len(args) {
		t.Fatalf("no function %s of %d arguments", name, len(args))
	}
	in := make([]reflect.Value, len(args))
	for i, s := range args {
		in[i] = reflect.ValueOf(vectorNumber(t, s)).Convert(f.Type().In(i))
	}
	return f.Call(in)[0].Uint()
}
