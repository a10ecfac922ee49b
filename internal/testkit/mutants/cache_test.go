package mutants

// Build caches of long runs: what each mutant compiles is of no use afterwards.

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// batch is how many mutants run before the cache is trimmed.
const batch = 200

// batches cuts a list.
func batches(ms []Mutant) iter.Seq[[]Mutant] {
	return func(yield func([]Mutant) bool) {
		for len(ms) > 0 {
			n := min(batch, len(ms))
			if !yield(ms[:n]) {
				return
			}
			ms = ms[n:]
		}
	}
}

// cache is a build cache of the run's own; the zero value is the user's, left alone.
type cache struct {
	dir    string
	filled time.Time // what came later belongs to mutants
}

// newCache makes a cache for a run of more than one batch.
func newCache(t *testing.T) *cache {
	if !*full && *size <= batch {
		return &cache{}
	}
	return &cache{dir: t.TempDir()}
}

// env is what the go command must know.
func (c *cache) env() []string {
	if c.dir == "" {
		return nil
	}
	return []string{"GOCACHE=" + c.dir}
}

// trim removes what mutants left.
func (c *cache) trim(t *testing.T) {
	if c.dir == "" {
		return
	}
	err := filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if i, err := d.Info(); err == nil && i.ModTime().After(c.filled) {
			return os.Remove(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
