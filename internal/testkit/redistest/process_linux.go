package redistest

import "syscall"

// dieWithParent makes the kernel kill the server when the test's process ends, even if that is killed.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
