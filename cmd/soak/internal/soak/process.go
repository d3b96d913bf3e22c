package soak

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"strata/internal/testkit/serverrig"
)

// process is a program that the soak starts, ends and starts again, with the same arguments.
type process struct {
	path string
	args []string
	log  string // path of the file with its output

	mu      sync.Mutex
	started *serverrig.Process
}

// start starts the program.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	output, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer output.Close() //nolint:errcheck // the process has its own descriptor
	command := exec.Command(p.path, p.args...)
	command.Dir, command.Stdout, command.Stderr, command.Env = filepath.Dir(p.log), output, output, serverrig.Environment()
	started, err := serverrig.Start(command)
	if err == nil {
		p.started = started
	}
	return err
}

// current returns the process that was started last.
func (p *process) current() *serverrig.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// end sends a signal and waits until the process is gone. One that ignores the signal is killed.
func (p *process) end(sig syscall.Signal, patience time.Duration) error {
	if now := p.current(); now != nil {
		return now.End(sig, patience)
	}
	return nil
}

// said returns the end of what the program wrote.
func (p *process) said() string {
	text, _ := os.ReadFile(p.log)
	return string(text[max(0, len(text)-4000):])
}
