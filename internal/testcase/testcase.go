// Package testcase runs txtar cases of the command: the comment of one is command lines, which run in a directory of its own
// that holds its files.
//
//	run …, check …, any verb    must exit with 0; after ! with anything else
//	exit N                      the last verb exited with N; it may stand behind a plain verb, too
//	stdout 'RE', stderr 'RE'    the last verb printed a line that matches; after ! none
//	cmp FILE FILE               are equal; stdout and stderr name what the last verb printed
//	use FILE…                   copies files that lie beside the case into its directory
//
// Words are separated by blanks; 'single quotes' keep them, and two make one.
package testcase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// Runner runs cases.
type Runner struct {
	Command string   // the file of the command whose verbs the lines are
	Verbs   []string // these; a file without any of them, and without files of its own, is no case. nil: not looked at
	Update  bool     // what cmp finds is written into the case
}

// run is one case while it runs.
type run struct {
	*Runner
	ctx     context.Context
	beside  string // the directory of the case's file
	archive *txtar.Archive
	dir     string
	changed bool

	at             int // the line that is read
	ran            bool
	line           string // of the last verb
	code           int
	pending        error // the last verb's exit code, unless exit follows
	stdout, stderr []byte
}

// One runs the case in file. The error says what failed, for the first line that did.
func (r *Runner) One(ctx context.Context, file string) (err error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return err
	}
	if err := r.isCase(archive); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ptxvm-case-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c := &run{Runner: r, ctx: ctx, archive: archive, dir: dir, beside: filepath.Dir(file)}
	if err := c.unpack(); err != nil {
		return err
	}
	for n, line := range strings.Split(string(archive.Comment), "\n") {
		c.at = n + 1
		if err := c.do(line); err != nil {
			return located(c.at, err)
		}
	}
	if err := c.settle(); err != nil {
		return err
	}
	if !c.ran {
		return errors.New("the case runs nothing: want command lines before the first -- FILE --")
	}
	if c.changed {
		return launchlang.WriteWhole(file, txtar.Format(archive))
	}
	return nil
}

// words are what lines begin with beside verbs.
var words = []string{"!", "exit", "stdout", "stderr", "cmp", "use"}

// isCase refuses text that was never meant for one: it has no files, and no line of it is a command line. Options files are the most
// likely, since examples and captures write some.
func (r *Runner) isCase(a *txtar.Archive) error {
	if r.Verbs == nil || len(a.Files) != 0 {
		return nil
	}
	first := ""
	for line := range strings.Lines(string(a.Comment)) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "" || word[0] == '#':
		case slices.Contains(r.Verbs, word) || slices.Contains(words, word):
			return nil
		case first == "":
			first = strings.TrimSpace(line)
		}
	}
	if first == "" {
		return nil // that it runs nothing, it says itself
	}
	return fmt.Errorf("this is no test case: its lines are no command lines of ptxvm (the first is %s). A case is a .txtar file of lines such as "+
		"run saxpy.ptx --grid 4, and the files that they need behind -- NAME --; options for a run are read by ptxvm run @FILE", launchlang.ShellWord(first))
}

// lineError is what failed, and the line of the case that it is about.
type lineError struct {
	line int
	error
}

// located gives an error the line, unless it has one.
func located(line int, err error) error {
	var at *lineError
	if errors.As(err, &at) {
		return err
	}
	return &lineError{line, err}
}

// unpack writes the case's files, which must lie below its directory.
func (c *run) unpack() error {
	for _, f := range c.archive.Files {
		if err := c.write(f.Name, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// write makes a file of the case's directory.
func (c *run) write(file string, data []byte) error {
	if err := local(file); err != nil {
		return err
	}
	name := filepath.Join(c.dir, file)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// local refuses names that lead out of a directory.
func local(file string) error {
	if !filepath.IsLocal(file) {
		return fmt.Errorf("the file %s lies outside the case's directory", file)
	}
	return nil
}

// use copies files from beside the case.
func (c *run) use(not bool, files []string) error {
	if len(files) == 0 || not {
		return fmt.Errorf("want use FILE…")
	}
	for _, file := range files {
		if err := local(file); err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(c.beside, file))
		if err != nil {
			return err
		}
		if err := c.write(file, data); err != nil {
			return err
		}
	}
	return nil
}

// do runs a line.
func (c *run) do(line string) error {
	if strings.HasPrefix(strings.TrimSpace(line), "#") { // what stands there need not close its quotes
		return nil
	}
	words, err := splitWords(line)
	if err != nil || len(words) == 0 {
		return err
	}
	not := words[0] == "!"
	if not {
		words = words[1:]
	}
	if len(words) == 0 {
		return fmt.Errorf("! needs a command line")
	}
	switch words[0] {
	case "exit":
		return c.exit(not, words[1:])
	case "stdout":
		return c.match(not, words, c.stdout)
	case "stderr":
		return c.match(not, words, c.stderr)
	case "cmp":
		return c.cmp(not, words[1:])
	case "use":
		return c.use(not, words[1:])
	}
	if err := c.settle(); err != nil {
		return err
	}
	return c.verb(not, line, words)
}

// settle fails for a verb that failed and was not expected to.
func (c *run) settle() error {
	err := c.pending
	c.pending = nil
	return err
}

// verb runs the command. Whether its exit code is right shows when the next verb comes, so that exit
// can stand between.
func (c *run) verb(not bool, line string, words []string) error {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(c.ctx, c.Command, words...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	c.ran, c.line, c.code = true, line, cmd.ProcessState.ExitCode()
	c.stdout, c.stderr = out.Bytes(), errs.Bytes()
	if (c.code != 0) != not {
		c.pending = located(c.at, fmt.Errorf("%s\nexit code %d\n%s%s", strings.TrimSpace(line), c.code, c.stdout, c.stderr))
	}
	return nil
}

func (c *run) exit(not bool, args []string) error {
	if len(args) != 1 || not {
		return fmt.Errorf("want exit N")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("exit %s: want a number", args[0])
	}
	if err := c.needVerb("exit"); err != nil {
		return err
	}
	if want != c.code {
		return fmt.Errorf("%s\nexit code %d, want %d\n%s", strings.TrimSpace(c.line), c.code, want, c.stderr)
	}
	c.pending = nil
	return nil
}

// needVerb refuses to look at the output of nothing.
func (c *run) needVerb(what string) error {
	if !c.ran {
		return fmt.Errorf("%s: no verb has run before it", what)
	}
	return nil
}

func (c *run) match(not bool, words []string, text []byte) error {
	if len(words) != 2 {
		return fmt.Errorf("want %s 'RE'", words[0])
	}
	if err := c.needVerb(words[0]); err != nil {
		return err
	}
	re, err := regexp.Compile("(?m)" + words[1])
	if err != nil {
		return err
	}
	if re.Match(text) == not {
		return fmt.Errorf("%s %q: %s in\n%s", words[0], words[1], map[bool]string{false: "no match", true: "a match that must not be"}[not], text)
	}
	return nil
}

// cmp compares; with --update a difference goes into the case's own file.
func (c *run) cmp(not bool, args []string) error {
	if len(args) != 2 || not {
		return fmt.Errorf("want cmp FILE FILE")
	}
	have, err := c.content(args[0])
	if err != nil {
		return err
	}
	want, err := c.content(args[1])
	if err != nil {
		return err
	}
	if bytes.Equal(have, want) || c.Update && c.replace(args[1], have) {
		return nil
	}
	return fmt.Errorf("%s and %s differ, have\n%swant\n%s", args[0], args[1], have, want)
}

func (c *run) content(name string) ([]byte, error) {
	switch name {
	case "stdout":
		return c.stdout, c.needVerb("cmp")
	case "stderr":
		return c.stderr, c.needVerb("cmp")
	}
	return os.ReadFile(filepath.Join(c.dir, name))
}

// replace changes a file of the archive.
func (c *run) replace(name string, data []byte) bool {
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == name {
			c.archive.Files[i].Data, c.changed = data, true
			return true
		}
	}
	return false
}

// splitWords splits at blanks outside of 'single quotes'; two quotes inside are one.
func splitWords(line string) (words []string, err error) {
	var word []byte
	started, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case quoted && b == '\'' && i+1 < len(line) && line[i+1] == '\'':
			word = append(word, b)
			i++
		case b == '\'':
			started, quoted = true, !quoted
		case !quoted && (b == ' ' || b == '\t' || b == '\r'):
			if started {
				words, word, started = append(words, string(word)), nil, false
			}
		default:
			word, started = append(word, b), true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed: %s", line)
	}
	if started {
		words = append(words, string(word))
	}
	return words, nil
}
