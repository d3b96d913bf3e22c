package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"strata/internal/postgres"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// processEnv turns the test binary into another process that uses the cluster of the data directory that it names. The
// process starts the cluster, prints a line with the server's process id and URL (or the error), waits until its input
// is closed, stops the cluster and prints "stopped".
const processEnv = "STRATA_POSTGRES_TEST_PROCESS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(processEnv); dir != "" {
		os.Exit(process(dir))
	}
	os.Exit(m.Run())
}

func process(dir string) int {
	ctx := context.Background()
	c, err := postgres.Start(ctx, postgres.Config{DataDir: dir})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("running", c.Pid(), c.URL())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Println("error", err)
		return 1
	}
	if err := c.Stop(ctx); err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("stopped")
	return 0
}

// otherProcess is a process that was started with processEnv.
type otherProcess struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	done bool
}

// begin starts the process without waiting for its cluster. If as is nil, it runs as the current user.
func begin(t *testing.T, dir string, as *syscall.Credential) *otherProcess {
	t.Helper()
	self := must.Get(os.Executable())(t)
	p := &otherProcess{cmd: exec.Command(self)}
	if as != nil {
		p.cmd.Path = copyProgram(t, self, filepath.Dir(dir))
		p.cmd.Dir = "/"
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	}
	p.cmd.Env = append(os.Environ(), processEnv+"="+dir)
	p.cmd.Stderr = os.Stderr
	p.in = must.Get(p.cmd.StdinPipe())(t)
	out := must.Get(p.cmd.StdoutPipe())(t)
	p.out = bufio.NewScanner(out)
	must.Do(t, p.cmd.Start())
	t.Cleanup(func() { p.kill(t) })
	return p
}

// running waits for the cluster and returns the server's process id and URL.
func (p *otherProcess) running(t *testing.T) (pid int, url string) {
	t.Helper()
	line := p.line()
	word, rest, _ := strings.Cut(line, " ")
	number, url, _ := strings.Cut(rest, " ")
	pid, err := strconv.Atoi(number)
	if word != "running" || err != nil {
		t.Fatalf("the other process printed: %s", line)
	}
	return pid, url
}

func (p *otherProcess) line() string {
	p.out.Scan()
	return p.out.Text()
}

// kill ends the process with SIGKILL.
func (p *otherProcess) kill(t *testing.T) {
	t.Helper()
	if p.done {
		return
	}
	p.done = true
	if err := p.cmd.Process.Kill(); err != nil {
		t.Errorf("kill the other process: %v", err)
	}
	p.cmd.Wait() //nolint:errcheck // it was killed
}

// stop makes the process stop its cluster and waits for its end.
func (p *otherProcess) stop(t *testing.T) {
	t.Helper()
	p.done = true
	if err := p.in.Close(); err != nil {
		t.Error(err)
	}
	if got := p.line(); got != "stopped" {
		t.Errorf("the other process printed: %s", got)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// copyProgram copies the test binary to a folder where every user can run it.
func copyProgram(t *testing.T, from, dir string) string {
	t.Helper()
	raw := must.Get(os.ReadFile(from))(t)
	to := filepath.Join(dir, "program")
	must.Do(t, os.WriteFile(to, raw, 0o755)) // another user runs it
	return to
}

// gone waits until the process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("process %d has ended", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		zombie := err == nil && strings.Contains(string(stat), ") Z ")
		return zombie || syscall.Kill(pid, 0) != nil
	})
}
