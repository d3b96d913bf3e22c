//go:build !linux

package redistest

import "syscall"

// dieWithParent is for Linux only. Elsewhere a server outlives a test process that is killed.
func dieWithParent() *syscall.SysProcAttr { return nil }
