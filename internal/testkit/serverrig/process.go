// Package serverrig runs strata as a process of its own, for tests, measurements and the soak: it starts the program, asks it, reads
// its metrics, fills its disk and ends it.
package serverrig

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"strata/internal/pause"
)

// Process is a process that was started. Its state says how it ended.
type Process struct {
	*exec.Cmd
	ended chan struct{}
}

// Start starts a command.
func Start(cmd *exec.Cmd) (*Process, error) {
	p, started := &Process{Cmd: cmd, ended: make(chan struct{})}, make(chan error)
	go func() {
		// For Pdeathsig, the parent is the thread that started the process. It must live as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// Ended returns a channel that is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Signal sends a signal.
func (p *Process) Signal(sig os.Signal) error { return p.Process.Signal(sig) }

// End sends a signal and returns when the process has ended. One that ignores the signal is killed after a while, which is an
// error.
func (p *Process) End(sig os.Signal, patience time.Duration) error {
	_ = p.Signal(sig) // it may have ended
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
		_ = p.Process.Kill()
		<-p.ended
		return fmt.Errorf("%s still ran %s after the signal %s", p.Path, patience, sig)
	}
}

// Environment returns the environment without the settings of whoever runs this, which would change what is tested, and with more
// settings. There is no administration unless they ask for it, because all processes of a machine share its default address.
func Environment(more ...string) (env []string) {
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "STRATA_") || strings.HasPrefix(setting, "STRATA_POSTGRES_BIN=") {
			env = append(env, setting)
		}
	}
	return append(append(env, "STRATA_ADMIN_ADDR="), more...)
}

// Build builds the program in the module that the working directory is in.
func Build(ctx context.Context, path string) error {
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", path, "strata/cmd/strata").CombinedOutput(); err != nil {
		return fmt.Errorf("build strata: %w\n%s", err, output)
	}
	return nil
}

// FreeAddress returns an address of the loopback interface where nothing listens at the moment.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// WaitFor polls until a condition holds. It returns false after the limit, or when ctx is done.
func WaitFor(ctx context.Context, limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline) && ctx.Err() == nil; pause.For(ctx, 20*time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}
