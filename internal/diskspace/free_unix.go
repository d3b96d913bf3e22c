//go:build linux || darwin

package diskspace

import "syscall"

// Free returns how many bytes this user may still write to the file system of a folder; known is false when that can't be
// found out.
func Free(folder string) (bytes int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ between systems
}
