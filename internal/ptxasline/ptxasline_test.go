package ptxasline

import (
	"strings"
	"testing"
)

// TestRead: options with one dash or two, values behind = or as the next word, letters with theirs at once.
func TestRead(t *testing.T) {
	l, err := Read(strings.Fields("-lineinfo --gpu-name=sm_90 -O3 -m64 -c -w --device-debug k.ptx -o out.cubin --fmad false"))
	if err != nil {
		t.Fatal(err)
	}
	if l.File != "k.ptx" || l.Output != "out.cubin" || l.Config.Arch != "sm_90" || !l.Config.CompileOnly || !l.Config.Debug || !l.Quiet || l.Config.BoundRegisters {
		t.Errorf("%+v", l)
	}
	if l, err := Read([]string{"k.ptx", "-arch", "sm_80"}); err != nil || l.Output != "elf.o" || l.Config.Arch != "sm_80" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := Read([]string{"--version", "no", "such", "files"}); err != nil || !l.Version {
		t.Errorf("%+v, %v", l, err)
	}
	for words, bound := range map[string]bool{"-maxntid 4 k.ptx": false, "-maxntid 4 -minnctapersm 2 k.ptx": true, "-maxrregcount 32 k.ptx": true, "-Werror=false k.ptx": false} {
		if l, err := Read(strings.Fields(words)); err != nil || l.Config.BoundRegisters != bound || l.Config.WarningsAreErrors {
			t.Errorf("%s: %+v, %v", words, l, err)
		}
	}
	for words, want := range map[string]string{"": "no file", "a.ptx b.ptx": "one file at a time", "--ferment k.ptx": "unknown option --ferment", "k.ptx -o": "-o wants a value", "-q3 k.ptx": "unknown option -q3"} {
		if _, err := Read(strings.Fields(words)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", words, err, want)
		}
	}
}

// TestHelp lists each option once, those with an effect first.
func TestHelp(t *testing.T) {
	text := Help()
	works, taken, ok := strings.Cut(text, "Taken without effect")
	if !ok || !strings.Contains(works, "--gpu-name, -arch VALUE") || !strings.Contains(taken, "--opt-level, -O VALUE") || strings.Contains(taken, "--maxrregcount") {
		t.Error(text)
	}
	for _, o := range options {
		name, _, _ := strings.Cut(o.names, " ")
		if n := strings.Count(text, "  --"+name+"\n") + strings.Count(text, "  --"+name+" ") + strings.Count(text, "  --"+name+","); n != 1 {
			t.Errorf("--%s is listed %d times", name, n)
		}
	}
}
