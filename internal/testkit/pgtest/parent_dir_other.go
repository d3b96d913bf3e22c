//go:build !linux

package pgtest

import "os"

// parentDir returns the directory that holds the user's folder.
func parentDir() string { return os.TempDir() }
