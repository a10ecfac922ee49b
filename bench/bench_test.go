package main

import "testing"

// BenchmarkFigures measures the figures of NOTES.md.
func BenchmarkFigures(b *testing.B) {
	for i := range figures {
		f := &figures[i]
		b.Run(f.name, func(b *testing.B) {
			value := f.measure(b)
			b.ReportMetric(value, f.unit)
			b.ReportMetric(f.ratio(value), "of-goal")
		})
	}
}
