package amd64_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// parting is code in which lanes part: v10 go one way, v11 the other, and v13 is what the first choose.
const parting = `func f
copy 0 lanes 32
check 1 bounds 0 lo 0 hi 256 align 4 store
float:
  v1 = const.m #1
  v2 = arg.x #0
  v3 = const.w #7
  v4 = const.w #9
  v7 = eq.m v5, v3
  v8 = lts.m v6, v4
  v9 = not.m v7
  v10 = and.m v8, v9
  v11 = and.m v8, v7
  v12 = add.w v6, v5
  v13 = select.w v10, v12, v5
  v14 = select.w v11, v6, v13
b0 level 0():
  v5 w = load elem 4 count 1 align 4 base v2 step 4 disp 0 bounds 0 check 1 bits 32 pc 1 mask v1
  v6 w = load elem 4 count 1 align 4 base v2 step 4 disp 128 bounds 0 check 1 bits 32 pc 2 mask v1
  steps n 3 mask v10
  lanes n 3 mask v10
  steps n 2 mask v11
  lanes n 2 mask v11
  store elem 4 count 1 align 4 base v2 step 4 disp 0 bounds 0 check 1 bits 32 pc 3 mask v1 arg v14
  return
`

// TestParting: where lanes part both ways' masks are made together, without the negation of one; a mask's lanes are counted by one number for
// the warp and for the lanes, and what it chooses is computed behind that.
func TestParting(t *testing.T) {
	for isa, names := range map[*amd64.Target][4]string{
		amd64.AVX2:   {"vpandn", "vpand ", "vblendvps", "vpxor"},
		amd64.AVX512: {"kandnw", "vpcmpd", "vpblendmd", "knotw"}, // the comparison under the other mask
	} {
		f, err := ssa.Parse(parting)
		if err != nil {
			t.Fatal(err)
		}
		opt.Place(f)
		c, err := amd64.Select(f, isa, amd64.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := c.Text()
		parts := strings.SplitN(text, "steps(", 3)
		if len(parts) != 3 {
			t.Fatal(text)
		}
		n := strings.Count(parts[0], names[0])
		if n == 0 || strings.Count(parts[0], names[1]) < n || strings.Contains(text, names[3]) {
			t.Errorf("%v: the masks are not made together\n%s", isa, text)
		}
		if strings.Count(parts[1], names[2]) != n || strings.Count(parts[2], names[2]) != n {
			t.Errorf("%v: what masks choose is not computed where they are counted\n%s", isa, text)
		}
		if strings.Contains(text, "any(") {
			t.Errorf("%v: a mask is counted twice\n%s", isa, text)
		}
	}
}
