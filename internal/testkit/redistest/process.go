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
	output string        // path of its log
	ended  chan struct{} // closed when the process is gone
}

// launch starts the program in a working directory.
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
		// For Pdeathsig, the parent is the thread that started the process. It must live as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer file.Close() //nolint:errcheck // only the server writes to it
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // its exit status does not matter
		}
		close(p.ended)
	}()
	return p, <-started
}

// signal sends a signal to the process. It returns nil if the process has ended.
func (p *process) signal(s os.Signal) error {
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// pause stops the process with SIGSTOP. Its sockets stay open.
func (p *process) pause() error { return p.signal(syscall.SIGSTOP) }

func (p *process) resume() error { return p.signal(syscall.SIGCONT) }

// kill ends the process, even if it is paused, and returns when it is gone. A graceful shutdown would save nothing.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// failure returns err together with the output of the process.
func (p *process) failure(err error) error {
	printed, readErr := os.ReadFile(p.output)
	if readErr != nil {
		return err
	}
	return fmt.Errorf("%w; it printed:\n%s", err, printed)
}
