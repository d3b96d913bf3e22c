//go:build linux || darwin

package importer

import "syscall"

// freeSpace returns the number of bytes that an ordinary user may still write to the file system of dir.
func freeSpace(dir string) (bytes uint64, known bool, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false, err
	}
	return s.Bavail * uint64(s.Bsize), true, nil
}
