package main

// This file writes what package managers read: Homebrew's formula, Scoop's manifest, and the Containerfile.

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"text/template"
)

// processors are Homebrew's names of architectures, scoopArch those of Scoop.
var (
	processors = map[string]string{"amd64": "intel", "arm64": "arm"}
	scoopArch  = map[string]string{"amd64": "64bit", "arm64": "arm64"}
)

// Processor is what Homebrew calls the binary's architecture.
func (b *Binary) Processor() string { return processors[b.Arch] }

// unix is one operating system of the formula.
type unix struct {
	Name     string // as in on_macos
	Binaries []*Binary
}

// Unix lists the systems that Homebrew knows, with the binaries that are there.
func (r *Release) Unix() (list []unix) {
	for _, system := range [][2]string{{"macos", "darwin"}, {"linux", "linux"}} {
		if of := r.of(system[1]); of != nil {
			list = append(list, unix{system[0], of})
		}
	}
	return list
}

// of lists the binaries of an operating system.
func (r *Release) of(system string) (list []*Binary) {
	for i := range r.Binaries {
		if r.Binaries[i].OS == system {
			list = append(list, &r.Binaries[i])
		}
	}
	return list
}

func (r *Release) formula() error {
	t, err := template.ParseFiles(filepath.Join(r.root, "packaging", "formula.rb.tmpl"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r); err != nil {
		return err
	}
	return r.write("ptxvm.rb", b.Bytes())
}

// scoop writes the manifest if there is a binary for Windows.
func (r *Release) scoop() error {
	type download struct {
		URL  string `json:"url"`
		Hash string `json:"hash"`
	}
	files := map[string]download{}
	for _, b := range r.of("windows") {
		files[scoopArch[b.Arch]] = download{r.URL + "/" + b.File + "#/ptxvm.exe", b.Sum}
	}
	if len(files) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(map[string]any{
		"version": r.Version, "description": "Run and check GPU kernels (PTX) on a CPU", "homepage": r.Home,
		"license": "Apache-2.0", "architecture": files, "bin": "ptxvm.exe",
	}, "", "    ")
	if err != nil {
		return err
	}
	return r.write("ptxvm.json", append(data, '\n'))
}

func (r *Release) container() error {
	data, err := os.ReadFile(filepath.Join(r.root, "packaging", "Containerfile"))
	if err != nil {
		return err
	}
	return r.write("Containerfile", data)
}
