package cudart

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme: the CUDA program on the first screen of README prints what stands there.
func TestReadme(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	text := strings.ReplaceAll(readText(t, filepath.Join(Root(t), "README.md")), "\r\n", "\n")
	shown := regexp.MustCompile("(?s)\nptxvm exec ./toomany\n```\n\n```text\n(.*?)\n```").FindStringSubmatch(text)
	if shown == nil {
		t.Fatal("README shows no program")
	}
	source := filepath.Join(Root(t), "testdata", "cudart", "toomany.cu")
	cmd := exec.Command(command, "exec", Program(t, libraries, []string{source}, append(read(t, source).flags, "-cudart", "static")...))
	cmd.Dir = filepath.Dir(source)
	cmd.Env = append(os.Environ(), "PTXVM_LIB="+libraries)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // it ends with 1
	if have := errs.String() + strings.TrimSuffix(out.String(), "\n"); have != shown[1] {
		t.Errorf("README shows\n%s\nthe program prints\n%s", shown[1], have)
	}
}
