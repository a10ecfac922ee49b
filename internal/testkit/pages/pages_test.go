package pages

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

var update = flag.Bool("update", false, "write what commands print into the pages, but where a page leaves lines out")

// bin is a folder with the command under test, first in PATH.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ptxvm-pages-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	bin = filepath.Join(dir, "bin")
	if out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "../../../cmd/ptxvm").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	return m.Run()
}

// root is the repository, from this folder.
func root(t *testing.T) string {
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// markdown reads every page of the repository, by name.
func markdown(t *testing.T) map[string]string {
	pages := map[string]string{}
	err := fs.WalkDir(os.DirFS(root(t)), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path != "." && path[0] == '.' || d.Name() == "node_modules"): // what others have written
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root(t), path))
		pages[path] = string(text)
		return err
	})
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	return pages
}

// TestPages does what every page says, in order, and compares what its commands print.
func TestPages(t *testing.T) {
	for name, text := range markdown(t) {
		p := Parse(name, text)
		if len(p.Steps) == 0 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, p)
			for _, step := range p.Steps {
				s.do(step)
			}
			s.rewrite(text)
		})
	}
}

// session is a reader at work on one page.
type session struct {
	*testing.T
	page  Page
	dir   string // where commands run
	env   []string
	tools map[string]func() error // why the tool behind a command is not there
	exit  int                     // of the last command, for echo $?
	fresh map[int][]string        // with -update: what commands print, by Step.Below
}

// fromCheckout are commands as they are typed with the sources and no installed command.
const fromCheckout = "go run ./cmd/ptxvm "

// newSession begins in a new folder, in the repository for a page that says `go run ./cmd/ptxvm`, or in the folder of an
// example for its README.
func newSession(t *testing.T, p Page) *session {
	s := &session{T: t, page: p, dir: t.TempDir(), tools: map[string]func() error{}, fresh: map[int][]string{}}
	for _, step := range p.Steps {
		if strings.HasPrefix(step.Command, fromCheckout) {
			s.dir = root(t)
		}
	}
	if ok, _ := filepath.Match("examples/*/README.md", filepath.ToSlash(p.Name)); ok {
		s.dir = filepath.Join(root(t), filepath.Dir(p.Name))
	}
	path := []string{bin, t.TempDir()}
	compiler, noCompiler := nvcc.Find()
	path = append(path, filepath.Dir(compiler))
	s.tools["nvcc"] = func() error { return noCompiler }
	s.tools["clang"] = func() error { return findClang(path[1]) }
	s.tools["python3"] = func() error { return findTriton(root(t)) }
	s.env = append(os.Environ(), "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(filepath.ListSeparator)),
		"PYTHONPATH="+filepath.Join(root(t), ".cuda")+string(filepath.ListSeparator)+os.Getenv("PYTHONPATH"),
		"PTXVM="+root(t), "TRITON_CACHE_DIR="+filepath.Join(t.TempDir(), "triton"), "TRITON_DEFAULT_FP_FUSION=1",
		"GOFLAGS="+strings.ReplaceAll(os.Getenv("GOFLAGS"), "-mod=readonly", "")+" -mod=mod -vet=off", "GOPROXY=off", "GOSUMDB=off")
	return s
}

// findClang links clang of version 17 or later, which knows kernels in C, into dir.
func findClang(dir string) error {
	for version := 30; version >= 17; version-- {
		if file, err := exec.LookPath(fmt.Sprintf("clang-%d", version)); err == nil {
			link := filepath.Join(dir, "clang")
			return errors.Join(os.RemoveAll(link), os.Symlink(file, link))
		}
	}
	out, err := exec.Command("clang", "--version").Output()
	var version int
	if _, after, ok := strings.Cut(string(out), "clang version "); ok {
		fmt.Sscan(after, &version)
	}
	if err == nil && version < 17 {
		err = fmt.Errorf("clang is version %d, older than 17", version)
	}
	return err
}

// findTriton looks for the package as CI and a virtual environment have it.
func findTriton(root string) error {
	if _, err := os.Stat(filepath.Join(root, ".cuda", "triton")); err == nil {
		return nil
	}
	if err := exec.Command("python3", "-c", "import importlib.util as u; exit(not u.find_spec('triton'))").Run(); err != nil {
		return errors.New("Triton is not installed")
	}
	return nil
}

// notRun are commands that need the network, or are this test.
var notRun = []string{"python3 -m pip install", "apt-get install", "git clone", "go test ./...", ".ci/"}

func (s *session) do(step Step) {
	if step.File != "" {
		s.write(step)
		return
	}
	for _, prefix := range notRun {
		if strings.HasPrefix(step.Command, prefix) {
			return
		}
	}
	word, _, _ := strings.Cut(step.Command, " ")
	if find := s.tools[word]; find != nil {
		if missing := find(); missing != nil {
			s.skip(word, missing, step.Instead)
			return
		}
	}
	s.run(step)
}

// skip counts a command that cannot run, and brings what it would have made.
func (s *session) skip(word string, missing error, made []string) {
	s.Run(word, func(t *testing.T) { t.Skip(nvcc.SkipMark + missing.Error()) })
	for _, file := range made {
		s.copy(file)
	}
}

// write makes the file. One with a folder in its name is the repository's, and the page shows it as it is.
func (s *session) write(step Step) {
	base := filepath.Base(step.File)
	if base != step.File {
		want, err := os.ReadFile(filepath.Join(root(s.T), step.File))
		if err != nil || string(want) != step.Text && !(step.Excerpt && strings.Contains(string(want), step.Text)) {
			s.Errorf("%s:%d: %s is not what the page shows (%v)", s.page.Name, step.Line, step.File, err)
		}
	}
	if step.Excerpt {
		return
	}
	if strings.HasPrefix(s.dir, root(s.T)) {
		s.Fatalf("%s:%d: a page of commands from the checkout writes no files", s.page.Name, step.Line)
	}
	if err := os.WriteFile(filepath.Join(s.dir, base), []byte(step.Text), 0o666); err != nil {
		s.Fatal(err)
	}
}

// copy puts a file of the repository where a command would have made it.
func (s *session) copy(file string) {
	data, err := os.ReadFile(filepath.Join(root(s.T), file))
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, filepath.Base(file)), data, 0o666)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// run types the command into a shell. If the page shows no output the command must succeed, quietly or not.
func (s *session) run(step Step) {
	command := step.Command
	if rest, ok := strings.CutPrefix(command, fromCheckout); ok {
		command = "ptxvm " + rest
	}
	cmd := exec.CommandContext(s.Context(), "sh", "-c", fmt.Sprintf("(exit %d)\n%s", s.exit, command))
	cmd.Dir, cmd.Env = s.dir, s.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	s.exit = cmd.ProcessState.ExitCode()
	got, shown := strings.TrimSpace(out.String()), strings.TrimSpace(strings.Join(step.Output, "\n"))
	where := fmt.Sprintf("%s:%d: %s", s.page.Name, step.Line, step.Command)
	switch {
	case *update && !slices.Contains(step.Output, "⋮"):
		s.fresh[step.Below] = strings.Split(got, "\n")
	case shown == "" && err != nil:
		s.Errorf("%s\n%v, prints\n%s", where, err, got)
	case shown != "" && !Matches(strings.Split(got, "\n"), strings.Split(shown, "\n")):
		s.Errorf("%s\nprints\n%s\nthe page shows\n%s", where, got, shown)
	}
}

// rewrite puts what commands print into the page, last first. Commands that show nothing go on showing nothing.
func (s *session) rewrite(text string) {
	for _, step := range slices.Backward(s.page.Steps) {
		if fresh := s.fresh[step.Below]; len(step.Output) > 0 && fresh != nil {
			text = step.Shown(text, fresh)
		}
	}
	if len(s.fresh) == 0 {
		return
	}
	if err := os.WriteFile(filepath.Join(root(s.T), s.page.Name), []byte(text), 0o666); err != nil {
		s.Error(err)
	}
}

// TestExamples runs the cases of examples, each of which has a page of its own.
func TestExamples(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob(filepath.Join(root(t), "examples", "*", "*.txtar"))
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range cases {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "README.md")); err != nil {
			t.Error(err)
		}
	}
	out, err := exec.Command(filepath.Join(bin, "ptxvm"), "test", filepath.Join(root(t), "examples")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestLinks: what the pages link to in the repository exists.
func TestLinks(t *testing.T) {
	links := 0
	for name, text := range markdown(t) {
		for _, part := range strings.Split(text, "](")[1:] {
			target, _, _ := strings.Cut(part, ")")
			target, _, _ = strings.Cut(target, "#")
			if target == "" || strings.Contains(target, "://") || strings.ContainsAny(target, " \n`") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(root(t), filepath.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s: %v", name, target, err)
			}
		}
	}
	if links < 10 {
		t.Errorf("only %d links", links)
	}
}

// maxDownload is the bytes of a compressed checkout: what go get and git archive fetch.
const maxDownload = 23 << 18

// TestPackages: what the pages install is what CI installs.
func TestPackages(t *testing.T) {
	known, err := os.ReadFile(filepath.Join(root(t), ".ci", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	installs := 0
	for name, text := range markdown(t) {
		for _, step := range Parse(name, text).Steps {
			words := strings.Fields(step.Command)
			if !strings.HasPrefix(step.Command, notRun[0]) {
				continue
			}
			installs++
			for _, word := range words[4:] {
				if word[0] != '-' && word != "cuda" && !strings.Contains(string(known), "\n"+word+"==") {
					t.Errorf("%s:%d installs %s, which .ci/requirements.txt does not have", name, step.Line, word)
				}
			}
		}
	}
	if installs < 2 {
		t.Errorf("only %d installations", installs)
	}
}

// TestDownload: what a user downloads stays small.
func TestDownload(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root(t)
	list, err := cmd.Output()
	if err != nil {
		t.Skip(nvcc.SkipMark + "no git checkout: " + err.Error())
	}
	var size counter
	zip := gzip.NewWriter(&size)
	for file := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root(t), file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		zip.Write(data)
	}
	zip.Close()
	if size > maxDownload {
		t.Errorf("a checkout is %d bytes compressed, more than %d", size, maxDownload)
	}
	t.Logf("%d bytes compressed", size)
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func TestParse(t *testing.T) {
	const text = "text\n```c k.c\nint x;\n```\n<!-- makes: a/k.ptx b -->\n```console\n$ clang \\\n    -S k.c\n$ ptxvm run k.ptx\none\n⋮\ntwo\n```\n```\nno command\n```\n"
	p := Parse("p", text)
	want := []Step{
		{Line: 2, File: "k.c", Text: "int x;\n"},
		{Line: 7, Below: 9, Command: "clang  -S k.c", Instead: []string{"a/k.ptx", "b"}},
		{Line: 9, Below: 10, Command: "ptxvm run k.ptx", Output: []string{"one", "⋮", "two"}, Instead: []string{"a/k.ptx", "b"}},
	}
	if !reflect.DeepEqual(p.Steps, want) {
		t.Errorf("got %+v", p.Steps)
	}
	if got, want := p.Steps[2].Shown(text, []string{"four"}), strings.Replace(text, "one\n⋮\ntwo", "four", 1); got != want {
		t.Errorf("rewritten it is %q", got)
	}
}

func TestMatches(t *testing.T) {
	lines := func(s string) []string { return strings.Fields(s) }
	for _, c := range []struct {
		got, shown string
		want       bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "b", false}, {"a b", "a", false}, {"a", "a b", false},
		{"a b c", "a ⋮ c", true}, {"a c", "a ⋮ c", true}, {"a b c d", "a ⋮ c", false}, {"a b", "⋮", true}, {"a b c b c", "a ⋮ b c", true},
	} {
		if got := Matches(lines(c.got), lines(c.shown)); got != c.want {
			t.Errorf("Matches(%q, %q) = %v", c.got, c.shown, got)
		}
	}
}

// longestBlock is how many words a paragraph, an item or a cell of a table may have in the pages that people look things up in.
const longestBlock = 120

// TestBlocks: no block of these pages is longer; code and what commands print do not count.
func TestBlocks(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```")
	block := regexp.MustCompile(`\n\s*\n|\n- |\n\||\|`)
	for _, name := range []string{"docs/sanitizers.md"} {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range block.Split(code.ReplaceAllString(string(text), ""), -1) {
			if n := len(strings.Fields(b)); n > longestBlock {
				t.Errorf("%s: a block of %d words begins %q", name, n, b[:min(len(b), 60)])
			}
		}
	}
}
