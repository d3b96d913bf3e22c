//go:build !linux

package database

import "syscall"

// controlSocket does nothing: this system has no bound for data without an acknowledgement.
func controlSocket(string, string, syscall.RawConn) error { return nil }
