//go:build !linux && !darwin

package diskspace

// Free can't tell on this system.
func Free(string) (bytes int64, known bool) { return 0, false }
