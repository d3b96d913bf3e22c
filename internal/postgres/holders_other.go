//go:build !linux

package postgres

// holders can't tell on this system who holds a lock.
func holders(string) []string { return nil }

// runs can't tell on this system what a process runs.
func runs(int, string) bool { return false }
