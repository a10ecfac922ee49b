package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sarif"
)

// racing is a kernel whose threads store to one word.
const racing = `.version 8.0
.target sm_90
.address_size 64
.visible .entry NAME(.param .u64 to)
{
	.reg .b64 %to;
	.reg .b32 %i;
	ld.param.u64 %to, [to];
	mov.u32 %i, %tid.x;
	st.global.u32 [%to], %i;
	ret;
}
`

// TestWorkflow: the workflow of docs/howto/ci.md, step by step: its command runs two launches of a repository, and what it
// writes is a log that code scanning takes.
func TestWorkflow(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "howto", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	step := regexp.MustCompile("(?s)```yaml\n    - run: ([^\n]+)\n.*?sarif_file: ([^ ]+) ").FindStringSubmatch(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if step == nil {
		t.Fatal("the page has no workflow")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "kernels"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		for file, content := range map[string]string{
			name + ".ptx": strings.Replace(racing, "NAME", name, 1),
			name + ".txt": name + ".ptx\n--block 64\n--arg out:u32x1\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, "kernels", file), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("bash", "-e", "-c", step[1])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v, want exit status 3:\n%s", err, out)
	}
	file, err := os.Open(filepath.Join(dir, step[2]))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := sarif.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if why := sarif.GitHubRefuses(log); why != "" {
		t.Error(why)
	}
	var found []string
	for _, r := range log.Runs[0].Results {
		found = append(found, r.RuleID+" "+r.Locations[0].Physical.Artifact.URI)
	}
	if have := strings.Join(found, ", "); have != "P8002 kernels/a.ptx, P8002 kernels/b.ptx" {
		t.Errorf("found %s", have)
	}
}
