package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeSink writes a result file whole or not at all: to a temporary neighbour,
// then renamed. Devices such as /dev/null are written in place.
func writeSink(name string, a array) error {
	data := a.bytes
	if strings.HasSuffix(name, ".npy") {
		data = encodeNpy(a.typed())
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return fmt.Errorf("%s is a directory, not a file to write", name)
		}
		return os.WriteFile(name, data, 0o666)
	}
	return writeWhole(name, data)
}

func writeWhole(name string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err = errors.Join(tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// typed gives raw bytes the type u8, as .npy needs one.
func (a array) typed() array {
	if a.shape != nil {
		return a
	}
	u8, err := parseSize(fmt.Sprintf("u8x%d", len(a.bytes)))
	if err != nil {
		panic("BUG: u8 is a type: " + err.Error())
	}
	u8.bytes = a.bytes
	return u8
}
