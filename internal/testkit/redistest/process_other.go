//go:build !linux

package redistest

import "syscall"

// dieWithParent does nothing, because only Linux can do it. A server outlives a killed test process.
func dieWithParent() *syscall.SysProcAttr { return nil }
