package redistest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// process is a running redis-server.
type process struct {
	cmd    *exec.Cmd
	output string        // the file that it logs to
	ended  chan struct{} // closed when the process is gone
}

// launch starts the program with its working directory.
func launch(program, dir string, arguments []string) (*process, error) {
	p := &process{
		cmd:    exec.Command(program, arguments...),
		output: filepath.Join(dir, "output"),
		ended:  make(chan struct{}),
	}
	file, err := os.OpenFile(p.output, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, file, file
	p.cmd.SysProcAttr = dieWithParent()
	started := make(chan error)
	go func() {
		// To the kernel, the parent is the thread that started the process: it has to live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer file.Close() //nolint:errcheck // the server wrote to it, not we
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ends is of no interest
		}
		close(p.ended)
	}()
	return p, <-started
}

// signal sends a signal to a process that may have ended.
func (p *process) signal(s os.Signal) error {
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// pause keeps the process from running; what it listens on stays open.
func (p *process) pause() error { return p.signal(syscall.SIGSTOP) }

func (p *process) resume() error { return p.signal(syscall.SIGCONT) }

// kill ends the process, also a paused one, and returns when it is gone. There is nothing to shut down: it keeps no data.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// failure is err with what the process has printed.
func (p *process) failure(err error) error {
	printed, readErr := os.ReadFile(p.output)
	if readErr != nil {
		return err
	}
	return fmt.Errorf("%w; it printed:\n%s", err, printed)
}
