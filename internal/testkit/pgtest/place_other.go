//go:build !linux

package pgtest

import "os"

// place is where the user's folder is.
func place() string { return os.TempDir() }
