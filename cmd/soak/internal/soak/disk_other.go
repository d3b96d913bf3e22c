//go:build !linux

package soak

import "errors"

// disk is a disk of its own for the database. This system has none that can be filled.
type disk struct {
	folder string
	bytes  int64
}

var errNoDisk = errors.New("it needs Linux")

func mountDisk(string, int64) (*disk, error) { return nil, errNoDisk }
func (d *disk) used() (int64, error)         { return 0, errNoDisk }
func (d *disk) leave(int64) error            { return errNoDisk }
func (d *disk) restore() error               { return errNoDisk }
func (d *disk) unmount() error               { return nil }
