package lsp

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var neovim = flag.String("nvim", "", "drive this Neovim, 0.11 or later, with editors/nvim/init.lua")

// TestNeovim: an editor shows the diagnostics of what is typed, and renames a register.
func TestNeovim(t *testing.T) {
	if *neovim == "" {
		t.Skip("-nvim names no Neovim")
	}
	nvim, err := filepath.Abs(*neovim)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "ptxvm"), "../../cmd/ptxvm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lua, err := os.ReadFile("../../editors/nvim/init.lua")
	if err != nil {
		t.Fatal(err)
	}
	module := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<5>;\n\tmov.u32 %r1, %tid.x;\n\tadd.u33 %r2, %r1, 1;\n\tret;\n}\n"
	for name, text := range map[string]string{"init.lua": string(lua), "k.ptx": module} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	drive, err := filepath.Abs("testdata/drive.lua")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-u", "init.lua", "-c", "luafile "+drive)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `8:5 .u33 is not allowed in add.u33; want .u32
0 diagnostics behind the correction
	.reg .b32 %count<5>;
	mov.u32 %count1, %tid.x;
	add.u32 %count2, %count1, 1;
`
	if string(got) != want {
		t.Errorf("the editor has\n%s\nwant\n%s", got, want)
	}
}
