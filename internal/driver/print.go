package driver

// This file keeps what kernels print until a thread of the host waits for them: printf comes out in the
// order of the host's own (CUDA C++ Programming Guide, "Formatted output").

import "sync"

type printed struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = append(p.text, text...)
	return len(text), nil
}

// take returns what has been printed since.
func (p *printed) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.text
	p.text = nil
	return text
}

// flush hands over what kernels have printed.
func (d *Driver) flush() {
	if text := d.printed.take(); len(text) != 0 && d.host.Print != nil {
		d.host.Print(text)
	}
}
