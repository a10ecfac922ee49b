package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// binaries writes small files in the place of binaries, one for each of .ci/platforms.
func binaries(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	platforms, err := os.ReadFile(filepath.Join(root, ".ci", "platforms"))
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range strings.Fields(string(platforms)) {
		name := "ptxvm_" + strings.ReplaceAll(platform, "/", "_")
		name += map[string]string{"windows": ".exe", "js": ".wasm"}[strings.Split(platform, "/")[0]]
		if err := os.WriteFile(filepath.Join(dir, name), []byte("binary for "+platform), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSameBytes: the packages of the same binaries are the same, and SHA256SUMS has the sum of each file.
func TestSameBytes(t *testing.T) {
	one, two := binaries(t), binaries(t)
	for _, dir := range []string{one, two} {
		if err := Packages(root, "1.2.0", dir); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(filepath.Join(one, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range strings.Lines(string(listed)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		a, errA := os.ReadFile(filepath.Join(one, name))
		b, errB := os.ReadFile(filepath.Join(two, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) || fmt.Sprintf("%x", sha256.Sum256(a)) != want {
			t.Errorf("%s: %v %v, or other bytes, or another sum", name, errA, errB)
		}
		files++
	}
	if entries, _ := os.ReadDir(one); files != len(entries)-1 || files < 16 {
		t.Errorf("%d of %d files are listed", files, len(entries))
	}
}

// TestWheel: RECORD has each file with its sum and size, the tags are those of the name, and the command can be executed.
func TestWheel(t *testing.T) {
	dir := binaries(t)
	if err := Packages(root, "1.2.0rc1", dir); err != nil {
		t.Fatal(err)
	}
	wheels, _ := filepath.Glob(filepath.Join(dir, "*.whl"))
	if len(wheels) != len(wheelTags) {
		t.Errorf("%d wheels, want %d", len(wheels), len(wheelTags))
	}
	for _, path := range wheels {
		files := unzip(t, path)
		checkRecord(t, filepath.Base(path), files)
		tags := strings.TrimSuffix(strings.Split(filepath.Base(path), "-py3-none-")[1], ".whl")
		for tag := range strings.SplitSeq(tags, ".") {
			if !strings.Contains(files["ptxvm-1.2.0rc1.dist-info/WHEEL"], "Tag: py3-none-"+tag+"\n") {
				t.Errorf("%s: WHEEL lacks %s", path, tag)
			}
		}
		if !strings.Contains(files["ptxvm-1.2.0rc1.dist-info/METADATA"], "\nVersion: 1.2.0rc1\n") || files["ptxvm/__init__.py"] == "" {
			t.Errorf("%s lacks the version or the module", path)
		}
		points := false
		for line := range strings.Lines(files["ptxvm-1.2.0rc1.dist-info/entry_points.txt"]) {
			_, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
			module, _, _ := strings.Cut(value, ":")
			module = strings.ReplaceAll(module, ".", "/")
			if ok && files[module+".py"] == "" && files[module+"/__init__.py"] == "" {
				t.Errorf("%s: nothing is at %s", path, line)
			}
			points = points || ok
		}
		if !points {
			t.Errorf("%s has no entry points", path)
		}
	}
}

// unzip reads an archive; commands must be executable.
func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
		if strings.Contains(f.Name, ".data/scripts/") && f.Mode().Perm() != 0o755 {
			t.Errorf("%s: mode %v", f.Name, f.Mode())
		}
	}
	return files
}

func checkRecord(t *testing.T, wheel string, files map[string]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(files["ptxvm-1.2.0rc1.dist-info/RECORD"])).ReadAll()
	if err != nil || len(rows) != len(files) {
		t.Fatalf("%s: RECORD has %d rows for %d files: %v", wheel, len(rows), len(files), err)
	}
	for _, row := range rows[:len(rows)-1] {
		digest := sha256.Sum256([]byte(files[row[0]]))
		want := "sha256=" + base64.RawURLEncoding.EncodeToString(digest[:])
		if data, ok := files[row[0]]; !ok || row[1] != want || row[2] != fmt.Sprint(len(data)) {
			t.Errorf("%s: %v", wheel, row)
		}
	}
}

// TestManifests: the formula and the manifest name each of their binaries with its sum.
func TestManifests(t *testing.T) {
	dir := binaries(t)
	if err := Packages(root, "1.2.0", dir); err != nil {
		t.Fatal(err)
	}
	formula, err := os.ReadFile(filepath.Join(dir, "ptxvm.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ptxvm_linux_amd64", "ptxvm_linux_arm64", "ptxvm_darwin_amd64", "ptxvm_darwin_arm64"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		want := fmt.Sprintf("/releases/download/v1.2.0/%s\", using: :nounzip\n      sha256 \"%s\"\n", name, sum(data))
		if err != nil || !strings.Contains(string(formula), want) {
			t.Errorf("%v; the formula lacks %s", err, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "ptxvm.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Architecture map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	for arch, name := range map[string]string{"64bit": "ptxvm_windows_amd64.exe", "arm64": "ptxvm_windows_arm64.exe"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		d := manifest.Architecture[arch]
		if err != nil || d.Hash != sum(data) || !strings.HasSuffix(d.URL, "/v1.2.0/"+name+"#/ptxvm.exe") {
			t.Errorf("%s: %+v %v", arch, d, err)
		}
	}
}

// TestVersions: what neither Python nor Go would take is refused, as is a folder without binaries.
func TestVersions(t *testing.T) {
	for _, version := range []string{"", "v1.2.0", "1.2", "1.2.0-rc1", "1.2.0+x", "../1.2.0"} {
		if err := Packages(root, version, binaries(t)); err == nil || !strings.Contains(err.Error(), "the version is") {
			t.Errorf("%q: %v", version, err)
		}
	}
	if err := Packages(root, "1.2.0", t.TempDir()); err == nil || !strings.Contains(err.Error(), "no binaries") {
		t.Error(err)
	}
}
