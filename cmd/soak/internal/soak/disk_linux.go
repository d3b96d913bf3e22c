package soak

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// disk is a disk of its own for the database, in the memory. It is filled by making it smaller, down to what is on it: that takes no
// memory, whatever its size.
type disk struct {
	folder string
	bytes  int64
}

// mountDisk mounts a disk at a folder, which it creates. Only root may do that.
func mountDisk(folder string, bytes int64) (*disk, error) {
	if err := os.Mkdir(folder, 0o711); err != nil {
		return nil, err
	}
	if err := syscall.Mount("strata-soak", folder, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0711", bytes)); err != nil {
		return nil, err
	}
	return &disk{folder, bytes}, nil
}

// used returns how many bytes are on the disk.
func (d *disk) used() (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.folder, &s); err != nil {
		return 0, fmt.Errorf("look at the disk: %w", err)
	}
	return int64(s.Blocks-s.Bfree) * s.Bsize, nil
}

// leave makes the disk so small that it has this many bytes free.
func (d *disk) leave(bytes int64) error {
	for range 1000 {
		used, err := d.used()
		if err != nil {
			return err
		}
		// It can't be smaller than what is on it, and that may have become more meanwhile.
		if err := d.resize(used + bytes); err == nil || !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	return errors.New("make the disk smaller: what is on it grows too fast")
}

// restore gives the disk the size that it had when it was mounted.
func (d *disk) restore() error { return d.resize(d.bytes) }

func (d *disk) resize(bytes int64) error {
	if err := syscall.Mount("strata-soak", d.folder, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d,mode=0711", bytes)); err != nil {
		return fmt.Errorf("change the size of the disk: %w", err)
	}
	return nil
}

// unmount removes the disk, with what is on it.
func (d *disk) unmount() error { return syscall.Unmount(d.folder, syscall.MNT_DETACH) }
