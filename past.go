package ptxvm

// This file tells of accesses behind the end of allocations that DeviceConfig.PageBounds lets pass.

// watchPast collects them for a launch, if the configuration allows them.
func (s *launchState) watchPast(d *Device) {
	s.past, s.other.OnPast = nil, nil
	if d.cfg.PageBounds {
		s.past = newFaultList()
		s.other.OnPast = s.past.add
	}
}

// passed puts what a launch has collected into the terms of the source, and forgets it: the state may stay.
func (k *Kernel) passed(state *launchState) (list []*Fault) {
	if state.past == nil {
		return nil
	}
	for _, c := range state.past.take() {
		f := k.program.newFault(c.first)
		f.Times, f.Passed = c.times, true
		k.nameBuffer(f, state.params)
		list = append(list, f)
	}
	return list
}
