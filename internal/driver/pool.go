package driver

// This file counts what memory pools have given out. The front says what a pool is; all take from the device's memory.

// poolUse is the bytes that a pool has given out, now and at most.
type poolUse struct{ used, high uint64 }

// PoolTake says that the allocation at an address is a pool's, until it is freed; what belongs to graphs is no pool's.
func (d *Driver) PoolTake(pool, addr uint64) Code {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.memory.holding(addr)
	if b == nil || b.Start != addr {
		return InvalidValue
	}
	if b.graph || b.pool != 0 {
		return Success
	}
	u := d.pools[pool]
	if u == nil {
		u = new(poolUse)
		d.pools[pool] = u
	}
	b.pool = pool
	u.used += b.Size
	u.high = max(u.high, u.used)
	return Success
}

// poolGive takes a freed block off its pool. The lock is held.
func (d *Driver) poolGive(b *Block) {
	if u := d.pools[b.pool]; u != nil {
		u.used -= b.Size
	}
}

// PoolUse tells how many bytes a pool has given out, now and at most. restart: the most counts from now on.
func (d *Driver) PoolUse(pool uint64, restart bool) (used, high uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.pools[pool]
	if u == nil {
		return 0, 0
	}
	if restart {
		u.high = u.used
	}
	return u.used, u.high
}

// PoolOf is the pool of the allocation around an address, 0 if it is of none.
func (d *Driver) PoolOf(addr uint64) uint64 {
	if b := d.Holding(addr); b != nil {
		return b.pool
	}
	return 0
}
