package serverrig

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Disk is a disk of its own for a database, in the memory. It is filled by making it smaller, down to what is on it: that takes no
// memory, whatever its size.
type Disk struct {
	Folder string
	bytes  int64
}

// MountDisk mounts a disk at a folder, which it creates. Only root may do that.
func MountDisk(folder string, bytes int64) (*Disk, error) {
	if err := os.Mkdir(folder, 0o711); err != nil {
		return nil, err
	}
	if err := syscall.Mount("strata-rig", folder, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0711", bytes)); err != nil {
		return nil, err
	}
	return &Disk{folder, bytes}, nil
}

// Used returns how many bytes are on the disk.
func (d *Disk) Used() (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.Folder, &s); err != nil {
		return 0, fmt.Errorf("look at the disk: %w", err)
	}
	return int64(s.Blocks-s.Bfree) * s.Bsize, nil
}

// Leave makes the disk so small that it has this many bytes free.
func (d *Disk) Leave(bytes int64) error {
	for range 1000 {
		used, err := d.Used()
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

// Restore gives the disk the size that it had when it was mounted.
func (d *Disk) Restore() error { return d.resize(d.bytes) }

func (d *Disk) resize(bytes int64) error {
	if err := syscall.Mount("strata-rig", d.Folder, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d,mode=0711", bytes)); err != nil {
		return fmt.Errorf("change the size of the disk: %w", err)
	}
	return nil
}

// Unmount removes the disk, with what is on it.
func (d *Disk) Unmount() error { return syscall.Unmount(d.Folder, syscall.MNT_DETACH) }
