package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"strata/internal/postgres"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// needRoot skips a test unless it runs as root. All other tests also run as an ordinary user.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can change to another user")
	}
}

// nobody returns the credential of an unprivileged user.
func nobody(t *testing.T) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid := must.Get(strconv.ParseUint(u.Uid, 10, 32))(t)
	gid := must.Get(strconv.ParseUint(u.Gid, 10, 32))(t)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// userDir creates a data directory that belongs to a user.
func userDir(t *testing.T, as *syscall.Credential) string {
	t.Helper()
	dir := filepath.Join(pgtest.DataDir(t), "data")
	must.Do(t, os.Mkdir(dir, 0o700))
	must.Do(t, os.Chown(dir, int(as.Uid), int(as.Gid)))
	return dir
}

func ownerOf(t *testing.T, path string) uint32 {
	t.Helper()
	info := must.Get(os.Stat(path))(t)
	return info.Sys().(*syscall.Stat_t).Uid
}

func TestServerDoesNotRunAsRoot(t *testing.T) {
	needRoot(t)
	dir := pgtest.DataDir(t)
	c := start(t, postgres.Config{DataDir: dir})
	home := ownerOf(t, filepath.Join(dir, "postgres"))
	if home == 0 {
		t.Error("the cluster's folder belongs to root")
	}
	if _, err := os.Stat("/proc"); err == nil {
		if got := ownerOf(t, fmt.Sprintf("/proc/%d", c.Pid())); got != home {
			t.Errorf("the server runs as uid %d, want the owner of its folder, %d", got, home)
		}
	}
}

func TestOrdinaryUser(t *testing.T) {
	needRoot(t)
	as := nobody(t)
	dir := userDir(t, as)
	other := begin(t, dir, as)
	pid, url := other.running(t)
	run(t, url, "SELECT")
	if got := ownerOf(t, filepath.Join(dir, "postgres", "data")); got != as.Uid {
		t.Errorf("the cluster belongs to uid %d, want %d", got, as.Uid)
	}

	// Root joins, and the user can still use everything afterwards.
	c := start(t, postgres.Config{DataDir: dir})
	if c.Pid() != pid {
		t.Errorf("root started a second server, %d, beside %d", c.Pid(), pid)
	}
	other.stop(t)
	stop(t, c)
	gone(t, pid)
	stop(t, start(t, postgres.Config{DataDir: dir}))
	again := begin(t, dir, as)
	_, url = again.running(t)
	run(t, url, "SELECT")
	again.stop(t)
}

func TestClusterOfAnotherUser(t *testing.T) {
	needRoot(t)
	dir := filepath.Join(pgtest.DataDir(t), "data")
	stop(t, start(t, postgres.Config{DataDir: dir}))
	as := nobody(t)
	if ownerOf(t, filepath.Join(dir, "postgres")) == as.Uid {
		t.Skip("there is no user postgres, so root's cluster also belongs to nobody")
	}
	other := begin(t, dir, as)
	got := other.line()
	for _, want := range []string{"error", "belongs to user", "--data-dir"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want it to contain %q", got, want)
		}
	}
}

func TestDataDirOutOfReach(t *testing.T) {
	needRoot(t)
	system := filepath.Join(pgtest.DataDir(t), "lib")
	postgres.SetSystemStateDir(t, system)
	private := filepath.Join(t.TempDir(), "private")
	must.Do(t, os.Mkdir(private, 0o700))
	dir := filepath.Join(private, "data")

	c := start(t, postgres.Config{DataDir: dir})
	home, err := os.Readlink(filepath.Join(dir, "postgres"))
	if err != nil || filepath.Dir(home) != system {
		t.Fatalf("the cluster is in %q (%v), want it below %s", home, err, system)
	}
	run(t, c.URL(), "CREATE SCHEMA log")
	stop(t, c)
	if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v (%v), want an unchanged mode", private, info, err)
	}
	again := start(t, postgres.Config{DataDir: dir})
	if got := query(t, again.URL(), "SELECT nspname::text FROM pg_namespace WHERE nspname = 'log'"); got != "log" {
		t.Errorf("the second start found another cluster")
	}
	stop(t, again)

	must.Do(t, os.RemoveAll(home))
	_, err = postgres.Start(t.Context(), postgres.Config{DataDir: dir})
	var access *postgres.AccessError
	if !errors.As(err, &access) || access.Path != filepath.Join(dir, "postgres") {
		t.Errorf("without the linked folder: got %v, want an *AccessError for the link", err)
	}
}

func TestNoFolderInReach(t *testing.T) {
	needRoot(t)
	private := filepath.Join(t.TempDir(), "private")
	must.Do(t, os.Mkdir(private, 0o700))
	postgres.SetSystemStateDir(t, filepath.Join(private, "lib"))
	_, err := postgres.Start(t.Context(), postgres.Config{DataDir: filepath.Join(private, "data")})
	var access *postgres.AccessError
	if !errors.As(err, &access) {
		t.Fatalf("got %v, want an *AccessError", err)
	}
	oneLine(t, err)
	if !strings.Contains(err.Error(), "blocked by") {
		t.Errorf("the message does not name the folder that blocks the user: %v", err)
	}
}

func TestClusterRestoredByRoot(t *testing.T) {
	needRoot(t)
	dir := pgtest.DataDir(t)
	c := start(t, postgres.Config{DataDir: dir})
	run(t, c.URL(), "CREATE SCHEMA log")
	stop(t, c)
	if out, err := exec.Command("chown", "-R", "0:0", filepath.Join(dir, "postgres")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c = start(t, postgres.Config{DataDir: dir})
	run(t, c.URL(), "CREATE TABLE log.event ()")
}

// TestLockFileNamesAStranger imitates the restart of a container, which uses the same small process ids again: another
// process of the same user has the id in the lock file.
func TestLockFileNamesAStranger(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("without /proc only the name of the program is compared")
	}
	dir := pgtest.DataDir(t)
	c := start(t, postgres.Config{DataDir: dir})
	path := filepath.Join(dir, "postgres", "data", "postmaster.pid")
	text := must.Get(os.ReadFile(path))(t)
	stop(t, c)

	foreign := exec.Command("sleep", "60")
	uid := ownerOf(t, filepath.Join(dir, "postgres"))
	if os.Geteuid() == 0 {
		foreign.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	must.Do(t, foreign.Start())
	t.Cleanup(func() {
		foreign.Process.Kill() //nolint:errcheck // it may have ended
		foreign.Wait()         //nolint:errcheck // it was killed
	})
	_, rest, _ := strings.Cut(string(text), "\n")
	must.Do(t, os.WriteFile(path, fmt.Appendf(nil, "%d\n%s", foreign.Process.Pid, rest), 0o600))
	must.Do(t, os.Chown(path, int(uid), -1))
	c = start(t, postgres.Config{DataDir: dir})
	run(t, c.URL(), "SELECT")
	if err := foreign.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other process was killed: %v", err)
	}
}
