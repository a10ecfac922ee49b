package x86

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/reference.gz anew from what GNU as makes of the cases")

const referenceFile = "testdata/reference.gz"

// gnuAs returns the bytes that GNU as makes of each line; ok tells whether one that knows the
// instructions is installed.
func gnuAs(t testing.TB, lines []string) (code []string, ok bool) {
	t.Helper()
	version, err := exec.Command("as", "--version").Output()
	found := asVersion.FindSubmatch(version)
	if _, lost := exec.LookPath("objdump"); err != nil || lost != nil || found == nil {
		return nil, false
	}
	if minor, _ := strconv.Atoi(string(found[1])); minor < 38 { // older ones know not all instructions
		return nil, false
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	text := ".intel_syntax noprefix\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("as", "--64", "-o", object, source).CombinedOutput(); err != nil {
		for _, m := range asError.FindAllSubmatch(out, 20) {
			n, _ := strconv.Atoi(string(m[1]))
			t.Errorf("as: %s: %s", m[2], lines[n-2])
		}
		t.Fatalf("as: %v", err)
	}
	out, err := exec.Command("objdump", "-d", "-z", "-M", "intel", "--insn-width=15", object).Output()
	if err != nil {
		t.Fatalf("objdump: %v", err)
	}
	for _, m := range dumpLine.FindAllStringSubmatch(string(out), -1) {
		b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, string(b))
	}
	return code, true
}

var asVersion = regexp.MustCompile(`^GNU assembler .* 2\.(\d+)`)

var asError = regexp.MustCompile(`a\.s:(\d+): Error: (.*)`)

var dumpLine = regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t((?:[0-9a-f]{2} )+)`)

// TestReference: every form, in every width, with all kinds of operands, is encoded as GNU as
// encodes its text. Where as is not installed, its answers are those kept in testdata.
func TestReference(t *testing.T) {
	var texts []string
	cases := allCases(t)
	for _, c := range cases {
		texts = append(texts, c.text)
	}
	t.Logf("%d cases of %d forms of %d instructions", len(cases), len(allForms), len(ops)-1)
	if code, ok := gnuAs(t, texts); ok {
		if len(code) != len(cases) {
			t.Errorf("as made %d instructions of %d", len(code), len(cases))
		}
		checkCases(t, cases, code)
		if *update && !*full && !t.Failed() {
			writeReference(t, texts, code)
		}
	} else {
		t.Log("GNU as is not installed: the kept reference alone is compared")
	}
	if *full { // other cases than those that are kept
		return
	}
	kept, want := readReference(t), make([]string, len(cases))
	for i, c := range cases {
		if want[i] = kept[c.text]; want[i] == "" {
			t.Fatalf("%s: not in the kept reference; make it anew with -update", c.text)
		}
	}
	checkCases(t, cases, want)
}

func checkCases(t *testing.T, cases []*testCase, want []string) {
	t.Helper()
	bad := 0
	for i, c := range cases {
		if i < len(want) && c.code == want[i] {
			continue
		}
		have, wanted := c.code, "nothing"
		if i < len(want) {
			wanted = fmt.Sprintf("% x", want[i])
		}
		t.Errorf("%s: have % x, want %s", c.text, have, wanted)
		if bad++; bad > 20 {
			t.Fatal("…")
		}
	}
}

func writeReference(t *testing.T, texts, code []string) {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for i, text := range texts {
		fmt.Fprintf(z, "%s\t%x\n", text, code[i])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(referenceFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readReference returns the kept bytes of each text.
func readReference(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for line := range strings.Lines(string(all)) {
		text, digits, _ := strings.Cut(strings.TrimSpace(line), "\t")
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		code[text] = string(b)
	}
	return code
}
