package pgtest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// waitEnv makes TestHolder create its databases, print their names and wait, so that it can be killed while all of them
// are in use. Without it TestHolder does nothing: it is the entry point of the process that TestKilledProcess starts.
const waitEnv = "STRATA_PGTEST_TEST_WAIT"

func TestHolder(t *testing.T) {
	if os.Getenv(waitEnv) == "" {
		return
	}
	name := connectString(t, pgtest.URL(t), "SELECT current_database()::text")
	dir := pgtest.DataDir(t)
	pgtest.Dedicated(t)
	fmt.Printf("%s\n%s\n", name, dir)
	must.Get(io.Copy(io.Discard, os.Stdin))(t)
}

// startHolder starts another test process and returns it with the name of its database and its data directory. The
// process ends when stdin is closed.
func startHolder(t *testing.T) (cmd *exec.Cmd, stdin io.Closer, name, dir string) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	cmd = exec.Command(self, "-test.run=^TestHolder$")
	cmd.Env = append(os.Environ(), waitEnv+"=1")
	in := must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for _, line := range []*string{&name, &dir} {
		if !lines.Scan() {
			t.Fatalf("the other process printed nothing: %v", lines.Err())
		}
		*line = lines.Text()
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // the rest of its output does not matter
	return cmd, in, name, dir
}

const countDatabases = "SELECT count(*)::text FROM pg_database WHERE datname = $1"

func TestKilledProcess(t *testing.T) {
	pool := pgtest.New(t)
	cmd, _, name, dir := startHolder(t)
	must.Do(t, cmd.Process.Kill())
	cmd.Wait() //nolint:errcheck // it was killed

	// The reaper stops the server and removes its data directory.
	eventually.Holds(t, "the data directory of the killed process is gone", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
	// The next process drops the database, and leaves databases in use alone.
	next, in, other, _ := startHolder(t)
	if got := queryString(t, pool, countDatabases, name); got != "0" {
		t.Errorf("the database %s of a killed process still exists", name)
	}
	if got := queryString(t, pool, countDatabases, other); got != "1" {
		t.Errorf("databases called %s, of a living process: got %s, want 1", other, got)
	}
	if err := errors.Join(in.Close(), next.Wait()); err != nil {
		t.Error(err)
	}
	if got := queryString(t, pool, countDatabases, other); got != "0" {
		t.Errorf("the database %s outlived its test", other)
	}
}
