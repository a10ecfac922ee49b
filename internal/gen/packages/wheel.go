package main

// This file writes wheels: zip archives with the command, the Python module and a RECORD of both (PyPA's binary distribution format).

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// wheelTags are the platforms of Python for those of Go. A static binary runs with every C library of Linux; Go 1.26 wants macOS 12.
var wheelTags = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// packaged are the kinds of files of the package: .pyc, which Python leaves beside them, is none.
var packaged = []string{".py", ".typed", ".json"}

// entryPoints is the file that names what PyTorch and pytest load unasked.
const entryPoints = "entry_points.txt"

// entry is a file of a wheel.
type entry struct {
	name string
	data []byte
	mode fs.FileMode
}

// wheels writes a wheel for each binary whose platform Python has.
func (r *Release) wheels() error {
	module, err := r.pythonModule()
	if err != nil {
		return err
	}
	for i := range r.Binaries {
		b := &r.Binaries[i]
		tag, ok := wheelTags[b.OS+"/"+b.Arch]
		if !ok {
			continue
		}
		data, err := r.wheel(b, tag, module)
		if err != nil {
			return err
		}
		if err := r.write(fmt.Sprintf("ptxvm-%s-py3-none-%s.whl", r.Version, tag), data); err != nil {
			return err
		}
	}
	return nil
}

// pythonModule reads the files that all wheels have: the package, what PyTorch and pytest find it by, and the licences.
func (r *Release) pythonModule() (list []entry, err error) {
	from := filepath.Join(r.root, "packaging", "python")
	err = fs.WalkDir(os.DirFS(from), "ptxvm", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(packaged, path.Ext(name)) {
			return err
		}
		list, err = add(list, filepath.Join(from, name), name)
		return err
	})
	if err != nil {
		return nil, err
	}
	if list, err = add(list, filepath.Join(from, entryPoints), r.info(entryPoints)); err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if list, err = add(list, filepath.Join(r.root, name), r.info("licenses", name)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func add(list []entry, file, name string) ([]entry, error) {
	data, err := os.ReadFile(file)
	return append(list, entry{name, data, 0o644}), err
}

// info is a path in the wheel's folder of metadata.
func (r *Release) info(parts ...string) string {
	return path.Join(append([]string{"ptxvm-" + r.Version + ".dist-info"}, parts...)...)
}

// wheel makes the archive of one binary.
func (r *Release) wheel(b *Binary, tag string, module []entry) ([]byte, error) {
	command := "ptxvm"
	if b.OS == "windows" {
		command += ".exe"
	}
	list := append(slices.Clone(module),
		entry{path.Join("ptxvm-"+r.Version+".data", "scripts", command), b.data, 0o755},
		entry{r.info("METADATA"), r.metadata(), 0o644},
		entry{r.info("WHEEL"), wheelFile(tag), 0o644})
	list = append(list, entry{r.info("RECORD"), r.record(list), 0o644})
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := range list {
		h := &zip.FileHeader{Name: list[i].name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(list[i].mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(list[i].data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return buf.Bytes(), err
}

func (r *Release) metadata() []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: ptxvm
Version: %s
Summary: Run and check GPU kernels (PTX) on a CPU
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.10
Requires-Dist: numpy
Project-URL: Homepage, %s
`, r.Version, r.Home)
}

// wheelFile lists each tag that the file's name joins with points.
func wheelFile(tag string) []byte {
	b := []byte("Wheel-Version: 1.0\nGenerator: ptxvm (.ci/release)\nRoot-Is-Purelib: false\n")
	for one := range bytes.SplitSeq([]byte(tag), []byte(".")) {
		b = fmt.Appendf(b, "Tag: py3-none-%s\n", one)
	}
	return b
}

// record lists every file with its sum and size; itself without.
func (r *Release) record(list []entry) []byte {
	var b []byte
	for i := range list {
		digest := sha256.Sum256(list[i].data)
		b = fmt.Appendf(b, "%s,sha256=%s,%d\n", list[i].name, base64.RawURLEncoding.EncodeToString(digest[:]), len(list[i].data))
	}
	return fmt.Appendf(b, "%s,,\n", r.info("RECORD"))
}
