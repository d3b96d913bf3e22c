//go:build !linux && !darwin

package version

// freeBytes returns nil: the free space is not known on this system.
func freeBytes(string) *int64 { return nil }
