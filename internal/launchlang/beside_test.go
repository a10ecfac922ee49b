package launchlang

import (
	"path/filepath"
	"testing"
)

// TestBeside: names of files in every place of the grammar, and what looks like one and is none.
func TestBeside(t *testing.T) {
	for _, c := range [][2]string{
		{"in:@a.npy", "in:@d/e/a.npy"},
		{"inout:@a.npy:@b.npy", "inout:@d/e/a.npy:@d/e/b.npy"},
		{"out:f32x4:@../o.npy", "out:f32x4:@d/e/../o.npy"},
		{"out:f32x4:@-", "out:f32x4:@-"}, {"in:@-:@-b", "in:@-:@d/e/-b"},
		{"bytes:@raw", "bytes:@d/e/raw"}, {"struct:{bytes:@raw,u32:1}", "struct:{bytes:@d/e/raw,u32:1}"},
		{"x=@a b.npy,to=@c.npy", "x=@d/e/a b.npy,to=@d/e/c.npy"}, {"x=4,to=term", "x=4,to=term"},
		{"photo=2d,64x48,u8x4,filter=linear,from=@p.png,to=@q.png", "photo=2d,64x48,u8x4,filter=linear,from=@d/e/p.png,to=@d/e/q.png"},
		{"1=@want.npy", "1=@d/e/want.npy"}, {"in:@/abs/a.npy", "in:@/abs/a.npy"},
		{"ptr:x@1", "ptr:x@1"}, {"ptr:x", "ptr:x"}, {"u32:7", "u32:7"}, {"in:@", "in:@"}, {"", ""},
	} {
		if have := filepath.ToSlash(Beside("d/e/", c[0])); have != c[1] {
			t.Errorf("%s: %s, want %s", c[0], have, c[1])
		}
		if have := Beside(".", c[0]); have != c[0] {
			t.Errorf("%s: %s beside the working directory", c[0], have)
		}
	}
}
