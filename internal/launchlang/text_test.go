package launchlang

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// FuzzText: no text makes a parser panic. Values with @ name files, and are left out.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"", "null", "s32:8", "f32:2.5", "in:f32x8=iota", "inout:f32x8=1", "out:u8x4x4", "bytes:00ff", "ptr:x+4", "surf:img",
		"struct:{u32:1,f32:2}", "tex:a", "img=2d:16x16:u8x4", "img=1d:16:f32x2,init=iota", "img=2d_array:4x4x2:u16x1,layout=linear",
		"image:img", "1,2,3", "U3=low", "U23=0,u24=1", "init", "init,race", "sm_90a", "u8x4", "2d", ":", "=", ",", "x", "::", "{",
		"out:u8x99999999999999999999", "in:u8x-1=0", "img=2d:0x0:u8x4", "img=3d:1x1:u8x4", "img=2d:4294967296x4294967296:u8x4",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "@") || len(text) > 1000 {
			t.Skip()
		}
		// What these say of a text is tested elsewhere.
		_, _ = parseImage(text)
		_, _ = parseArg(text)
		_, _ = ParseDim3(text)
		_, _ = ParsePoint(text)
		_, _ = ptxvm.ParseSanitize(text)
		_, _ = ptxvm.ParseGeometry(text)
		_, _ = ptxvm.ParseSampleFormat(text)
		_, _ = value.ParseType(text)
	})
}
