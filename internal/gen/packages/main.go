// Packages makes wheels, a Homebrew formula, a Scoop manifest and SHA256SUMS of the binaries that .ci/release has built. The
// same binaries give the same bytes. It runs in the root of a clone:
//
//	go run ./internal/gen/packages VERSION DIR
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: packages VERSION DIR   (in the root of the module)")
		os.Exit(2)
	}
	if err := Packages(".", os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// Release is what the packages of one version are made from.
type Release struct {
	Version  string   // without v: 1.2.0, 1.2.0rc1
	Home     string   // the repository's address, from the module path
	URL      string   // of the folder that the files of the release are downloaded from
	Binaries []Binary // in the order of their names

	root, dir string
}

// Binary is the command for one platform: ptxvm_OS_ARCH in the release's folder.
type Binary struct {
	File, OS, Arch string
	Sum            string // SHA-256, in hexadecimal digits
	data           []byte
}

// versionPattern takes versions that are the same to Python (PEP 440, without its local and epoch parts) and to Go's tags.
var versionPattern = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(rc[0-9]+)?$`)

// Packages writes the packages of the binaries in dir, and the sums of all files there. root is a clone of the module.
func Packages(root, version, dir string) error {
	if !versionPattern.MatchString(version) {
		return fmt.Errorf("the version is %q; want one like 1.2.0 or 1.2.0rc1, without v", version)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	home := "https://" + modfile.ModulePath(mod)
	r := &Release{Version: version, Home: home, URL: home + "/releases/download/v" + version, root: root, dir: dir}
	if err := r.find(); err != nil {
		return err
	}
	for _, write := range []func() error{r.wheels, r.formula, r.scoop, r.container, r.sums} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// find reads the binaries.
func (r *Release) find() error {
	paths, err := filepath.Glob(filepath.Join(r.dir, "ptxvm_*_*"))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := filepath.Base(path)
		platform := strings.Split(strings.TrimSuffix(strings.TrimSuffix(file, ".exe"), ".wasm"), "_")
		r.Binaries = append(r.Binaries, Binary{file, platform[1], platform[2], sum(data), data})
	}
	if r.Binaries == nil {
		return fmt.Errorf("%s has no binaries ptxvm_OS_ARCH; .ci/release builds them", r.dir)
	}
	return nil
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// write puts a file beside the binaries.
func (r *Release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.dir, name), data, 0o644)
}

// sums writes SHA256SUMS, in the format of sha256sum, of every other file of the folder.
func (r *Release) sums() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		if !e.Type().IsRegular() || e.Name() == "SHA256SUMS" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum(data), e.Name())
	}
	fmt.Print(b.String())
	return r.write("SHA256SUMS", []byte(b.String()))
}
