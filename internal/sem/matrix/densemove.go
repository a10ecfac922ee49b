package matrix

// How the words of registers get to their places in matrices and back. Most fragments have a regular order.

// rowMove says where the words of a register's lanes go in a list of denseMost.
type rowMove struct {
	way    rowWay
	base   [8]uint16 // of stripes: where those of lanes t, t+4, t+8, … begin; of runs: where those of each four lanes do
	places [32]uint16
}

// rowWay is the order of a register's words.
type rowWay uint8

const (
	anyPlaces rowWay = iota
	stripes          // each fourth lane's are neighbours
	runs             // those of four lanes are
)

// newRowMove finds the order of places.
func newRowMove(places []uint16) (m rowMove) {
	m.places = [32]uint16(places)
	striped, run := true, true
	for lane, at := range m.places {
		striped = striped && at == m.places[lane&3]+uint16(lane>>2)
		run = run && at == m.places[lane&^3]+uint16(lane&3)
	}
	switch {
	case striped:
		m.way = stripes
		copy(m.base[:4], places)
	case run:
		m.way = runs
		for g := range m.base {
			m.base[g] = m.places[4*g]
		}
	}
	return m
}

// newRowMoves are those of registers, of which each has 32 places.
func newRowMoves(places []uint16) (list []rowMove) {
	for ; len(places) > 0; places = places[32:] {
		list = append(list, newRowMove(places[:32]))
	}
	return list
}

// scatter moves words to their places.
func (m *rowMove) scatter(row *[32]uint32, to *[denseMost]uint32) {
	switch m.way {
	case stripes:
		for t := range 4 {
			d := (*[8]uint32)(to[m.base[t]%denseMost:])
			d[0], d[1], d[2], d[3] = row[t], row[t+4], row[t+8], row[t+12]
			d[4], d[5], d[6], d[7] = row[t+16], row[t+20], row[t+24], row[t+28]
		}
	case runs:
		for g := range 8 {
			*(*[4]uint32)(to[m.base[g]%denseMost:]) = *(*[4]uint32)(row[4*g:])
		}
	default:
		for lane, at := range &m.places {
			to[at%denseMost] = row[lane]
		}
	}
}

// gather moves words back.
func (m *rowMove) gather(row *[32]uint32, from *[denseMost]uint32) {
	switch m.way {
	case stripes:
		for t := range 4 {
			s := (*[8]uint32)(from[m.base[t]%denseMost:])
			row[t], row[t+4], row[t+8], row[t+12] = s[0], s[1], s[2], s[3]
			row[t+16], row[t+20], row[t+24], row[t+28] = s[4], s[5], s[6], s[7]
		}
	case runs:
		for g := range 8 {
			*(*[4]uint32)(row[4*g:]) = *(*[4]uint32)(from[m.base[g]%denseMost:])
		}
	default:
		for lane, at := range &m.places {
			row[lane] = from[at%denseMost]
		}
	}
}
