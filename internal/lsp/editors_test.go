package lsp

// This file drives editors without a screen, with the lines that the pages have for them.

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	neovim = flag.String("nvim", "", "drive this Neovim, 0.11 or later, with editors/nvim/init.lua")
	emacs  = flag.String("emacs", "", "drive this Emacs, 29 or later, or with the package eglot, with editors/emacs/ptxvm.el")
	helix  = flag.String("helix", "", "drive this Helix, with editors/helix/languages.toml; needs util-linux's script")
)

// shown is what an editor shows of the module of driven: its diagnostic, how many there are without the mistake, and lines behind
// renaming a range.
const shown = `8:5 .u33 is not allowed in add.u33; want .u32
0 diagnostics behind the correction
` + renamed

const renamed = `	.reg .b32 %count<5>;
	mov.u32 %count1, %tid.x;
	add.u32 %count2, %count1, 1;
`

// driven is a folder with ptxvm, a module and files of the tree, and a command there that finds that ptxvm first.
func driven(t *testing.T, editor string, files map[string]string, args ...string) (dir string, cmd *exec.Cmd) {
	t.Helper()
	if editor == "" {
		t.Skip("no editor is named")
	}
	dir = t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "ptxvm"), "../../cmd/ptxvm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	module := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<5>;\n\tmov.u32 %r1, %tid.x;\n\tadd.u33 %r2, %r1, 1;\n\tret;\n}\n"
	texts := map[string]string{"k.ptx": module}
	for to, from := range files {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		texts[to] = string(text)
	}
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, editor, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return dir, cmd
}

// wrote runs a command, and compares what it left in out.txt.
func wrote(t *testing.T, dir string, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != shown {
		t.Errorf("the editor has\n%s\nwant\n%s", got, shown)
	}
}

// TestNeovim: an editor shows the diagnostics of what is typed, and renames a register.
func TestNeovim(t *testing.T) {
	files := map[string]string{"init.lua": "../../editors/nvim/init.lua", "drive.lua": "testdata/drive.lua"}
	dir, cmd := driven(t, *neovim, files, "--headless", "--clean", "-u", "init.lua", "-c", "luafile drive.lua")
	wrote(t, dir, cmd)
}

// TestEmacs does the same by eglot.
func TestEmacs(t *testing.T) {
	files := map[string]string{"ptxvm.el": "../../editors/emacs/ptxvm.el", "drive.el": "testdata/drive.el"}
	dir, cmd := driven(t, *emacs, files, "--batch", "-l", "drive.el")
	wrote(t, dir, cmd)
}

// TestHelix types what a user types: to the diagnostic, its first fix, a new name, and save.
func TestHelix(t *testing.T) {
	files := map[string]string{"helix/languages.toml": "../../editors/helix/languages.toml"}
	dir, cmd := driven(t, "script", files, "-qfec", "stty rows 40 cols 150; exec "+*helix+" k.ptx", "/dev/null")
	if *helix == "" {
		t.Skip("-helix names no Helix")
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	var screen screen
	cmd.Stdout, cmd.Stderr = &screen, &screen
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	press := func(text string) { _, _ = io.WriteString(keys, text) }
	saved := func(text string) bool { // the screen shows what differs of a line alone
		for range 60 {
			press(":w\r")
			time.Sleep(500 * time.Millisecond)
			if got, _ := os.ReadFile(filepath.Join(dir, "k.ptx")); strings.Contains(string(got), text) {
				return true
			}
		}
		return false
	}
	for _, step := range []struct {
		keys, text string
		comes      func(string) bool
	}{
		{"", "●", screen.shows}, // the mark of a line with a diagnostic
		{"]d", ".u33 is not allowed in add.u33; want .u32", screen.shows},
		{"", "fix: write .u32", screen.shows},
		{" a", "write .u32", screen.shows},
		{"\r", "add.u32", saved},
		{"gg6jf1 r", "rename", screen.shows},
		{"\x15%count\r", renamed, saved},
	} {
		if press(step.keys); !step.comes(step.text) {
			t.Errorf("behind %q there is no %q; the screen was %q", step.keys, step.text, screen.all.String())
			break
		}
	}
	press(":q!\r")
	_ = keys.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// screen is what a program writes to a terminal.
type screen struct {
	mu   sync.Mutex
	all  bytes.Buffer
	read int // what has been waited for
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

// shows waits until a text comes behind what came before.
func (s *screen) shows(text string) bool {
	for range 600 {
		s.mu.Lock()
		at := bytes.Index(s.all.Bytes()[s.read:], []byte(text))
		if at >= 0 {
			s.read += at + len(text)
		}
		s.mu.Unlock()
		if at >= 0 {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
