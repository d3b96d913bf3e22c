package pgtest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"strata/internal/testkit/pgtest"
)

// waitEnv makes TestHeld take its databases, say what it took and wait; so it can be killed with all in use. Without
// it TestHeld is nothing but a place in the binary for the other process of TestKilledProcess to begin.
const waitEnv = "STRATA_PGTEST_TEST_WAIT"

func TestHeld(t *testing.T) {
	if os.Getenv(waitEnv) == "" {
		return
	}
	name := connectString(t, pgtest.URL(t), "SELECT current_database()::text")
	dir := pgtest.DataDir(t)
	pgtest.Dedicated(t)
	fmt.Printf("%s\n%s\n", name, dir)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
}

// hold starts another test process and returns it with the name of its database and its data directory.
func hold(t *testing.T) (cmd *exec.Cmd, stdin io.Closer, name, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self, "-test.run=^TestHeld$")
	cmd.Env = append(os.Environ(), waitEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, line := range []*string{&name, &dir} {
		if !lines.Scan() {
			t.Fatalf("the other process said nothing: %v", lines.Err())
		}
		*line = lines.Text()
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // what it says at its end is of no interest
	return cmd, in, name, dir
}

const databases = "SELECT count(*)::text FROM pg_database WHERE datname = $1"

func TestKilledProcess(t *testing.T) {
	pool := pgtest.New(t)
	cmd, _, name, dir := hold(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // it was killed

	// The reaper removes the data directory, server and all.
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s of a killed process is still there", dir)
		}
	}
	// The next process drops the database, and leaves those in use alone.
	next, in, other, _ := hold(t)
	if got := queryString(t, pool, databases, name); got != "0" {
		t.Errorf("the database %s of a killed process is still there", name)
	}
	if got := queryString(t, pool, databases, other); got != "1" {
		t.Errorf("the database %s of a living process: got %s, want 1", other, got)
	}
	if err := errors.Join(in.Close(), next.Wait()); err != nil {
		t.Error(err)
	}
	if got := queryString(t, pool, databases, other); got != "0" {
		t.Errorf("the database %s outlived its test", other)
	}
}
