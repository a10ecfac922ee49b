// This file has the hash of many messages.

package corpus

import "crypto/sha256"

// SHA256 hashes n messages of 0 to 200 bytes, one a thread.
func SHA256(n int) *Run {
	seed := random(19)
	var data, digests []byte
	starts := []uint32{0}
	for range n {
		message := octets(random(seed.next()), seed.below(201))
		data = append(data, message...)
		starts = append(starts, uint32(len(data)))
		digest := sha256.Sum256(message)
		digests = append(digests, digest[:]...)
	}
	bdata, bstarts, out := input("data", data), input("starts", starts), output("digests", digests)
	out.Elem = U32
	return &Run{
		Buffers: []*Buffer{bdata, bstarts, out},
		Launches: []Launch{{Kernel: "sha256", Grid: line(blocks(n, 64)), Block: line(64),
			Args: args(bdata, bstarts, uint32(n), out)}},
	}
}
