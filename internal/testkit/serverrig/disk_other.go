//go:build !linux

package serverrig

import "errors"

// Disk is a disk of its own for a database. This system has none that can be filled.
type Disk struct{ Folder string }

var errNoDisk = errors.New("it needs Linux")

// MountDisk returns an error.
func MountDisk(string, int64) (*Disk, error) { return nil, errNoDisk }

// Used is of no use here.
func (d *Disk) Used() (int64, error) { return 0, errNoDisk }

// Leave is of no use here.
func (d *Disk) Leave(int64) error { return errNoDisk }

// Restore is of no use here.
func (d *Disk) Restore() error { return errNoDisk }

// Unmount is of no use here.
func (d *Disk) Unmount() error { return nil }
