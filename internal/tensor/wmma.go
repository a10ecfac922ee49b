package tensor

// Wmma says which elements of a matrix the registers of a lane hold in fragments of wmma. The
// manual leaves it open (9.7.14.4.1); here they lie as in fragments of mma, matrix after matrix of
// 8 rows or columns, which is what compilers make of wmma from sm_75 on.
type Wmma struct {
	M, N, K int
	Bits    int // of an element of A and B
}

// groups is in how many steps the registers of A and B go through K.
func (f Wmma) groups() int { return f.K / (4 * f.perRegister()) }

func (f Wmma) perRegister() int { return max(1, 32/f.Bits) }

// RegistersA and RegistersB are how many registers differ; f16 have them more than once.
func (f Wmma) RegistersA() int { return f.M / 8 * f.groups() }

// RegistersB is the same for B.
func (f Wmma) RegistersB() int { return f.N / 8 * f.groups() }

// A returns where element j of a lane's register r of A is. Registers go through 16 rows, then
// through K, then through further rows.
func (f Wmma) A(lane, r, j int) (row, k int) {
	r %= f.RegistersA()
	tile := min(2, f.M/8)
	part := r / (tile * f.groups())
	row = r%tile + part*tile
	return 8*row + lane>>2, f.along(lane, r/tile%f.groups(), j)
}

// B returns where element j of a lane's register r of B is. Registers go through K first.
func (f Wmma) B(lane, r, j int) (k, column int) {
	r %= f.RegistersB()
	return f.along(lane, r%f.groups(), j), 8*(r/f.groups()) + lane>>2
}

func (f Wmma) along(lane, group, j int) int {
	n := f.perRegister()
	return 4*n*group + n*(lane&3) + j
}

// C returns where the i-th element of a lane in C and D is.
func (f Wmma) C(lane, i int) (row, column int) {
	rows := f.M / 8
	return 8*(i>>1%rows) + lane>>2, 8*(i>>1/rows) + 2*(lane&3) + i&1
}
