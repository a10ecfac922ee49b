package clusters

import (
	"sync"
	"testing"
)

// TestTable: clusters that share a bucket are told apart, and one that ends leaves the others, while all of them are looked up.
func TestTable(t *testing.T) {
	var table Table[uint64]
	if table.Of(3) != nil || table.Len() != 0 {
		t.Error("an empty table has clusters")
	}
	const workers, rounds = 4, 200
	var all sync.WaitGroup
	for w := range uint64(workers) {
		all.Go(func() {
			for i := range uint64(rounds) {
				number := w*Buckets/2 + i*workers*Buckets
				*table.Begin(number) = number
				if have := table.Of(number); have == nil || *have != number || table.Of(number+workers*rounds*Buckets) != nil {
					t.Errorf("cluster %d is not found", number)
				}
				if i%2 == 0 {
					table.End(number)
				}
			}
		})
	}
	all.Wait()
	if n := table.Len(); n != workers*rounds/2 {
		t.Errorf("%d clusters, want %d", n, workers*rounds/2)
	}
}
