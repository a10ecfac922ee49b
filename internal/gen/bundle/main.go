// Command bundle packs the CUDA libraries for a ptxvm that carries them (build tag cudart, cmd/ptxvm/bundle.go): the files of
// a folder that .ci/cudart has filled, in a zip file. The same files give the same bytes.
//
//	go run ./internal/gen/bundle DIR FILE
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bundle: ")
	if len(os.Args) != 3 {
		log.Fatal("want a folder and a file")
	}
	data, err := pack(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// pack makes the archive. Links are left out: who unpacks it makes them.
func pack(dir string) ([]byte, error) {
	list, err := os.ReadDir(dir) // by name
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	n := 0
	for _, e := range list {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.Name(), Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(data); err != nil {
			return nil, err
		}
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("%s holds no file", dir)
	}
	err = w.Close()
	return out.Bytes(), err
}
