//go:build linux || darwin

package version

import "syscall"

// freeBytes returns the free space for this user on the disk of a folder; nil when that can't be found out.
func freeBytes(folder string) *int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return nil
	}
	free := int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // the types differ between systems
	return &free
}
