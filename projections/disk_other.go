//go:build !linux && !darwin

package projections

// freeBytes is not known here.
func freeBytes(string) *int64 { return nil }
