package postgres

import "testing"

// SetSystemStateDir replaces /var/lib/strata for one test.
func SetSystemStateDir(t *testing.T, dir string) {
	t.Helper()
	before := systemStateDir
	systemStateDir = dir
	t.Cleanup(func() { systemStateDir = before })
}
