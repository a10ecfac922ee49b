package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// values is what flags of every kind leave.
type values struct {
	text   string
	on, to bool
	n      int
	u      uint64
	list   []string
}

func (v *values) flags() *Flags {
	var s Flags
	s.String(&v.text, "text", "t", "word", "a `WORD`")
	s.Bool(&v.on, "on", "o", "a switch")
	s.Bool(&v.to, "to", "x", "another")
	s.Int(&v.n, "number", "n", 3, "`N` of them")
	s.Uint64(&v.u, "seed", "", 0, "`N`")
	s.List(&v.list, "each", "e", "any number of `THING`s")
	return &s
}

func TestParse(t *testing.T) {
	start := values{text: "word", n: 3}
	with := func(f func(*values)) values { v := start; f(&v); return v }
	for args, want := range map[string]struct {
		values
		rest string
	}{
		"":                         {start, ""},
		"a - b":                    {start, "a - b"},
		"--text x a":               {with(func(v *values) { v.text = "x" }), "a"},
		"a --text=x=y b":           {with(func(v *values) { v.text = "x=y" }), "a b"},
		"--text= a":                {with(func(v *values) { v.text = "" }), "a"},
		"--text --on":              {with(func(v *values) { v.text = "--on" }), ""},
		"-tx -t=y a":               {with(func(v *values) { v.text = "y" }), "a"},
		"-ox a":                    {with(func(v *values) { v.on, v.to = true, true }), "a"},
		"-oxn5":                    {with(func(v *values) { v.on, v.to, v.n = true, true, 5 }), ""},
		"-on -1":                   {with(func(v *values) { v.on, v.n = true, -1 }), ""},
		"--on=false --seed 0x10":   {with(func(v *values) { v.u = 16 }), ""},
		"-e 1 --each=2 a --each 3": {with(func(v *values) { v.list = []string{"1", "2", "3"} }), "a"},
		"-o -- -x --text":          {with(func(v *values) { v.on = true }), "-x --text"},
	} {
		var have values
		rest, err := have.flags().parse(strings.Fields(args), false)
		if err != nil || fmt.Sprint(have) != fmt.Sprint(want.values) || strings.Join(rest, " ") != want.rest {
			t.Errorf("%q: %+v, left %q, %v", args, have, rest, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for args, want := range map[string]string{
		"--txt x":         "unknown flag: --txt",
		"-ok":             "unknown flag: -ok",
		"a --text":        "--text needs a value: a WORD",
		"-n":              "--number needs a value: N of them",
		"-n x":            "--number x: want a whole number",
		"--seed -1":       "--seed -1: want a whole number from 0",
		"--on=perhaps":    "--on perhaps: want true or false",
		"-oh":             "help",
		"--text x --help": "help",
	} {
		var have values
		if _, err := have.flags().parse(strings.Fields(args), false); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}

// program is a command with verbs; each says what it got.
func program(out *bytes.Buffer) *Command {
	root := &Command{Use: "tool", Run: func(c *Command, args []string) error { return fmt.Errorf("no verb %q", args) }}
	var quiet bool
	say := func(c *Command, args []string) error {
		_, err := fmt.Fprintf(out, "%s %q quiet=%v\n", c.Name(), args, quiet)
		return err
	}
	run := &Command{Use: "run FILE… [flags]", Short: "Run files", Run: say, Complete: map[string]func([]string, string) []string{
		"color": func([]string, string) []string { return []string{"auto", "always"} }}}
	run.Flags().Bool(&quiet, "quiet", "q", "say less")
	run.Flags().String(new(string), "color", "", "", "`auto|always`")
	run.Flags().String(new(string), "report", "r", "", "a `FILE`")
	run.Flags().Bool(new(bool), "secret", "", "not for all").Hidden = true
	leading := &Command{Use: "exec PROGRAM", Leading: true, Run: say}
	leading.Flags().Bool(&quiet, "quiet", "q", "say less")
	root.Add(run, leading, &Command{Use: "raw", Raw: true, Hidden: true, Run: say})
	root.AddCompletion(func(have string, shells []string) error { return fmt.Errorf("%q is none of %v", have, shells) })
	return root
}

func TestVerbs(t *testing.T) {
	for args, want := range map[string]string{
		"run -q a":                    "run [\"a\"] quiet=true\n",
		"run a -q b":                  "run [\"a\" \"b\"] quiet=true\n",
		"exec -q prog -q":             "exec [\"prog\" \"-q\"] quiet=true\n",
		"raw -q --help":               "raw [\"-q\" \"--help\"] quiet=false\n",
		"rum":                         `no verb ["rum"]`,
		"":                            "no verb []",
		"run --quite":                 "unknown flag: --quite",
		"completion":                  `"" is none of [bash fish powershell zsh]`,
		"run --help":                  "Run files\n\nUsage:\n  tool run FILE… [flags]\n\nFlags:\n      --color auto|always   auto|always\n  -q, --quiet               say less\n  -r, --report FILE         a FILE\n",
		"__complete r":                "run\tRun files\n:4\n",
		"__complete run --q":          "--quiet\tsay less\n:4\n",
		"__complete run --s":          ":4\n",
		"__complete run a":            ":0\n",
		"__complete run -r x":         ":0\n",
		"__complete run --color al":   "always\n:4\n",
		"__complete run --color=a":    "auto\nalways\n:4\n",
		"__complete run --color = al": "always\n:4\n",
		"__complete run --color \"\"": "auto\nalways\n:4\n",
		"__complete completion f":     "fish\n:4\n",
	} {
		var out bytes.Buffer
		err := program(&out).Execute(context.Background(), strings.Fields(args), &out)
		if err != nil {
			out.WriteString(err.Error())
		}
		if out.String() != want {
			t.Errorf("%q:\n%s\nwant\n%s", args, out.String(), want)
		}
	}
}

// TestBash completes with the script in a real shell.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	var script bytes.Buffer
	if err := program(&script).Execute(context.Background(), []string{"completion", "bash"}, &script); err != nil {
		t.Fatal(err)
	}
	test := script.String() + `
tool() { printf '%s\n' "$*" >&2; printf 'with space\tmeans\nplain\n:4\n'; }
COMP_WORDS=(tool run --color ''); COMP_CWORD=3; _tool
printf '%s\n' "${COMPREPLY[@]}"
`
	cmd := exec.Command(bash, "-c", test)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		t.Fatalf("%v: %s", err, failed.Stderr)
	}
	if want := []string{`with\ space`, "plain", ""}; !slices.Equal(strings.Split(string(out), "\n"), want) {
		t.Errorf("got %q", out)
	}
}
