package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestX86Mistakes: a wrong line of the data is refused, with its place.
func TestX86Mistakes(t *testing.T) {
	tests := []struct{ line, want string }{
		{"vpaddd Rv,Nv,Mv4 66.0f.fe", "want name, operands, opcode, encodings"},
		{"vpaddd Qv,Nv,Mv4 66.0f.fe e0:124:f", "operand Qv: no such slot"},
		{"vpaddd R,Nv,Mv4 66.0f.fe e0:124:f", "operand R: no such slot"},
		{"vpaddd Ru,Nv,Mv4 66.0f.fe e0:124:f", "operand Ru: no such kind"},
		{"vpaddd Rv,Nv,Mvb 66.0f.fe e0:124:f", "operand Mvb"},
		{"vpaddd Rv,Nv,Mv4 66.0f e0:124:f", "want prefix.map.opcode"},
		{"vpaddd Rv,Nv,Mv4 67.0f.fe e0:124:f", "no such prefix or map"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fg e0:124:f", "invalid syntax"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fe/9x e0:124:f", "invalid syntax"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fe e0:124:avx513", "no feature avx513"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fe e0:abc:f", "no widths abc"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fe l:bwx", "no size x"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fe w:1:f", "no such encoding"},
		{"vpaddd Rv,Nv,Mv4 66.0f.fe zz", "neither a flag nor an encoding"},
	}
	for _, test := range tests {
		dir := t.TempDir()
		text := "# a remark\n\n" + test.line + "\n"
		if err := os.WriteFile(filepath.Join(dir, "a.x86"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readX86(dir)
		if err == nil || !strings.HasPrefix(err.Error(), "a.x86:3: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: have %v, want … %s …", test.line, err, test.want)
		}
	}
}
