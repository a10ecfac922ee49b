package num

// Operands of a Dense that are given otherwise than Left and Right have them: half of the elements of a sparse matrix, or
// elements of four bits.

// DensePacking is how an operand is given, in Raw.
type DensePacking struct {
	Sparse bool // half of the elements are stored, and Meta has where they belong
	Four   bool // elements have four bits; Left and Right have them in bytes
}

// packed reports whether an operand is in Raw.
func (p DensePacking) packed() bool { return p.Sparse || p.Four }

// shrinks is how many times fewer words Raw has.
func (p DensePacking) shrinks() int {
	n := 1
	if p.Sparse {
		n *= 2
	}
	if p.Four {
		n *= 2
	}
	return n
}

// DenseChoice is what four bits of metadata say of the stored elements of a chunk of K.
type DenseChoice struct {
	Place [4]uint8 // the place in the chunk of each
	Shift [2]uint8 // of each half of what is stored, or of all, by how many bits it goes up in the chunk
	Twice bool     // two have the same place
}

// DenseChoices are those of all metadata.
type DenseChoices [16]DenseChoice

// NewDenseChoices makes them for elements of so many bits; place says where in its chunk a stored element belongs.
func NewDenseChoices(bits int, place func(k int, meta uint32) int) *DenseChoices {
	c, stored := new(DenseChoices), storedOfChunk(bits)
	for meta := range c {
		x, seen := &c[meta], 0
		for k := range stored {
			p := place(k, uint32(meta))
			x.Place[k] = uint8(p)
			x.Twice = x.Twice || seen>>p&1 != 0
			seen |= 1 << p
			if half := max(stored/2, 1); k%half == 0 {
				x.Shift[k/half] = uint8(p * bits)
			}
		}
	}
	return c
}

// storedOfChunk is how many elements of a chunk are stored, for which there are four bits of metadata.
func storedOfChunk(bits int) int {
	switch bits {
	case 4:
		return 4
	case 32:
		return 1
	}
	return 2
}

// ElementBits is what an element of an operand takes where Operand says.
func (s *DenseShape) ElementBits(operand int) int {
	if s.Packing[operand].Four {
		return 4
	}
	return s.Bits
}

// sparse is the operand that is, -1 if none is.
func (s *DenseShape) sparse() int {
	for i, p := range s.Packing {
		if p.Sparse {
			return i
		}
	}
	return -1
}

// Stored is how many products make an element of Sum.
func (s *DenseShape) Stored() int {
	if s.sparse() >= 0 {
		return s.K / 2
	}
	return s.K
}

// Plan returns how products are added up, by their places in K, or terms; false if C and the result have several formats.
func (s *DenseShape) Plan() (p DotPlan, ok bool) {
	switch {
	case s.Terms:
		p, ok = s.Rule.Plan(s.K)
		p.Keep = blockKeep
		return p, ok
	case s.sparse() < 0:
		return s.Rule.Plan(s.K)
	}
	// two stored elements are chosen from four, one from two: steps have whole chunks
	p, ok = s.Rule.Plan(s.K / 2)
	for i, step := range p.Steps {
		var all []int
		for _, k := range step {
			all = append(all, 2*k, 2*k+1)
		}
		p.Steps[i] = all
	}
	return p, ok
}

// Operand is where the words of an operand are to be put, Raw if it is packed, with the words of a line and how far they are apart.
func (d *Dense) Operand(operand int) (list []uint32, words, step int) {
	words, step, list = d.K*d.Bits/32, 1, d.Left
	if operand == 1 {
		step, list = DenseLanes, d.Right
	}
	if p := d.Packing[operand]; p.packed() {
		return d.Raw[operand], words / p.shrinks(), step
	}
	return list, words, step
}

// setRaw makes room for operands that are packed.
func (d *Dense) setRaw() {
	d.twice = false
	for i, words := range [2]int{len(d.Left), len(d.Right)} {
		p := d.Packing[i]
		if !p.packed() {
			continue
		}
		d.Raw[i] = roomy(d.Raw[i], words/p.shrinks())
		if i == 1 { // columns that fill it up
			clear(d.Raw[i])
		}
		if p.Sparse {
			d.Meta = Grown(d.Meta, max(len(d.Raw[i]), DenseRoomy))[:len(d.Raw[i])]
			if i == 1 {
				for at := range d.Meta {
					d.Meta[at] = 0x44 // places 0 and 1 of a chunk
				}
			}
		}
	}
}

// Unpack makes Left and Right of what is in Raw; choices are those of the metadata, if an operand is sparse.
func (d *Dense) Unpack(choices *DenseChoices) {
	d.choices = choices
	for i, p := range d.Packing {
		if !p.packed() {
			continue
		}
		to, from := [2][]uint32{d.Left, d.Right}[i], d.Raw[i]
		if p.Sparse {
			wide := to
			if p.Four {
				d.half = Grown(d.half, 2*len(from))
				wide = d.half
			}
			d.spread(i, wide, from)
			from = wide
		}
		if p.Four {
			for at, v := range from {
				low, high := doubled(i, at)
				to[low], to[high] = d.bytes(i, v&0xffff), d.bytes(i, v>>16)
			}
		}
	}
}

// Clashes reports whether metadata name a place twice: Left or Right does not have both elements then, and portable code takes the
// reference implementation.
func (d *Dense) Clashes() bool { return d.twice }

// doubled are the places of the two words that a word of an operand becomes.
func doubled(operand, at int) (low, high int) {
	if operand == 0 {
		return 2 * at, 2*at + 1
	}
	low = at&^(DenseLanes-1)*2 + at&(DenseLanes-1)
	return low, low + DenseLanes
}

// spread puts stored elements in their places, and zeros between them.
func (d *Dense) spread(operand int, to, from []uint32) {
	bits := d.ElementBits(operand)
	meta, twice := d.Meta[:len(from)], false
	for at, v := range from {
		m := meta[at]
		c := &d.choices[m&15]
		twice = twice || c.Twice
		low, high := doubled(operand, at)
		switch bits {
		case 16:
			x := uint64(v&0xffff)<<(c.Shift[0]&63) | uint64(v>>16)<<(c.Shift[1]&63)
			to[low], to[high] = uint32(x), uint32(x>>32)
		case 32:
			x := uint64(v) << (c.Shift[0] & 63)
			to[low], to[high] = uint32(x), uint32(x>>32)
		default:
			e := &d.choices[m>>4]
			twice = twice || e.Twice
			to[low] = v&0xff<<(c.Shift[0]&31) | v>>8&0xff<<(c.Shift[1]&31)
			to[high] = v>>16&0xff<<(e.Shift[0]&31) | v>>24<<(e.Shift[1]&31)
		}
	}
	d.twice = d.twice || twice
}

// bytes are four elements of four bits as an operand has them in bytes: integers with their signs, e2m1 where DotE2M1Byte has it.
func (d *Dense) bytes(operand int, v uint32) uint32 {
	v = (v | v<<8) & 0x00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f
	switch {
	case !d.Integers:
		return v << DotE2M1Byte.low
	case d.Signed[operand]:
		return v | v&0x08080808*0x1e
	}
	return v
}

// stored is the stored element k of a line of a sparse operand, and its place in K.
func (d *Dense) stored(operand, line, k int) (v uint32, place int) {
	bits, per := d.ElementBits(operand), storedOfChunk(d.ElementBits(operand))
	list, words, step := d.Operand(operand)
	at := DenseOperand(operand).Word(line, words) + k*bits/32*step
	v = list[at] >> (k * bits % 32) & uint32(1<<bits-1)
	if d.Packing[operand].Four {
		v = d.bytes(operand, v) & 0xff
	}
	meta := d.Meta[at] >> (4 * (k / per % max(1, 32/bits/per))) & 15
	return v, k/per*2*per + int(d.choices[meta].Place[k%per])
}

// DenseOperand is Left (0) or Right (1).
type DenseOperand int

// Word is where the words of a line begin, of which each has so many.
func (o DenseOperand) Word(line, words int) int {
	if o == 0 {
		return line * words
	}
	return line/DenseLanes*words*DenseLanes + line%DenseLanes
}

// pair are the elements that make the k-th product for an element of Sum.
func (d *Dense) pair(row, column, k int) (left, right uint32) {
	left, right, _ = d.Factors(row, column, k)
	return left, right
}

// Factors are the elements that make the k-th product for an element of Sum, and their place in K.
func (d *Dense) Factors(row, column, k int) (left, right uint32, place int) {
	switch d.sparse() {
	case 0:
		v, place := d.stored(0, row, k)
		return v, d.right(column, place), place
	case 1:
		v, place := d.stored(1, column, k)
		return d.left(row, place), v, place
	}
	return d.left(row, k), d.right(column, k), k
}
