package soak

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"strata/internal/pause"
)

// process is a program that the soak starts, ends and starts again, with the same arguments.
type process struct {
	path string
	args []string
	log  string // path of the file with its output

	mu      sync.Mutex
	command *exec.Cmd
	ended   chan struct{}
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
	command.Dir, command.Stdout, command.Stderr = filepath.Dir(p.log), output, output
	// The settings of whoever runs the soak would change what it measures. Administration has one default address on a machine.
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "STRATA_") || strings.HasPrefix(setting, "STRATA_POSTGRES_BIN=") {
			command.Env = append(command.Env, setting)
		}
	}
	command.Env = append(command.Env, "STRATA_ADMIN_ADDR=")
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.path, err)
	}
	ended := make(chan struct{})
	p.command, p.ended = command, ended
	go func() {
		defer close(ended)
		_ = command.Wait() // its state says how it ended
	}()
	return nil
}

// current returns the running command, and the channel that is closed when it ends.
func (p *process) current() (*exec.Cmd, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.command, p.ended
}

// end sends a signal and waits until the process is gone. One that ignores the signal is killed.
func (p *process) end(sig syscall.Signal, patience time.Duration) error {
	command, ended := p.current()
	if command == nil {
		return nil
	}
	_ = command.Process.Signal(sig) // it may have ended
	select {
	case <-ended:
		return nil
	case <-time.After(patience):
		_ = command.Process.Kill()
		<-ended
		return fmt.Errorf("%s still ran %s after the signal %s", p.path, patience, sig)
	}
}

// said returns the end of what the program wrote.
func (p *process) said() string {
	text, _ := os.ReadFile(p.log)
	return string(text[max(0, len(text)-4000):])
}

// freeAddress returns an address of the loopback interface that nobody listens on at the moment.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// waitFor polls until the condition holds. It returns false after the limit, or when ctx is done.
func waitFor(ctx context.Context, limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline) && ctx.Err() == nil; pause.For(ctx, 20*time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// probe asks on a connection of its own, so that it never sees that of a dead process. It returns 0 without an answer.
func probe(ctx context.Context, url string) int {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	request.Close = true
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}
