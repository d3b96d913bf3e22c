package redistest

import "syscall"

// dieWithParent has the kernel kill the server when the test's process is gone, however it ends.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
