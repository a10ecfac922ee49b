package main

// This file lets verbs take trees of files, as the go command does: DIR/... is every .ptx file in DIR and below, or every source
// with inline assembly.

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// isPTX reports whether a file of a tree is PTX, by its name.
func isPTX(file string) bool { return filepath.Ext(file) == ".ptx" }

// eachFile replaces trees by those of their files that are wanted, in the order of their names; a tree without any is a usage
// error, which says what they are.
func eachFile(args []string, wanted func(file string) bool, what string) (files []string, err error) {
	for _, arg := range args {
		root, tree := strings.CutSuffix(arg, "...")
		if !tree || root != "" && !strings.HasSuffix(root, "/") && !strings.HasSuffix(root, string(filepath.Separator)) {
			files = append(files, arg)
			continue
		}
		found, err := filesBelow(filepath.Clean(root), wanted)
		if err != nil {
			return nil, usageError{err}
		}
		if len(found) == 0 {
			return nil, usageError{fmt.Errorf("%s: no %s", arg, what)}
		}
		files = append(files, found...)
	}
	return files, nil
}

// filesBelow lists the files of a tree that are wanted, but for those in directories whose names begin with a point.
func filesBelow(root string, wanted func(file string) bool) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && wanted(path):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
