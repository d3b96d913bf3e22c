package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/pause"
)

const (
	readyPoll = 15 * time.Millisecond
	// slowStart is the interval of log lines during a long start, for example crash recovery.
	slowStart = 5 * time.Second
	// deafAfter is the time after which a running server whose socket does not answer, because it was removed, for
	// example, is stopped and started again.
	deafAfter = 10 * time.Second
	// memoryWait is the time that the backends of a killed postmaster get to notice and end.
	memoryWait = 15 * time.Second
)

// server is a running postmaster that accepts connections.
type server struct {
	pid    int
	socket string
}

// child is a postmaster that this process started.
type child struct {
	pid       int
	ended     chan struct{} // closed when the process has been reaped
	err       error         // how the process ended; valid after ended is closed
	logOffset int64         // length of the log before the start
}

// runner starts, finds and stops the server of one home. The caller holds the cluster's lock.
type runner struct {
	home home
	bin  binaries
	cfg  Config
	log  *slog.Logger
}

// run finds or starts the cluster's server, and returns it as soon as it accepts connections.
func (r runner) run(ctx context.Context) (server, error) {
	started := time.Now()
	var (
		launched  *child
		deafSince time.Time // when the socket of a running server first did not answer
		logged    = started
	)
	for {
		pm, running, err := runningServer(r.home.data())
		if err != nil {
			return server{}, err
		}
		switch {
		case running && pm.socket != "":
			s := server{pid: pm.pid, socket: pm.socket}
			err := s.ping(ctx, r.home.data())
			switch {
			case err == nil:
				msg := "private PostgreSQL found running"
				if launched != nil {
					msg = "private PostgreSQL started"
				}
				r.log.InfoContext(ctx, msg, slog.Int("pid", s.pid), slog.String("dir", r.home.dir),
					slog.String("socket", s.socket), slog.Duration("took", time.Since(started)))
				return s, nil
			case errors.Is(err, errNotYet):
				deafSince = time.Time{}
			case errors.Is(err, errDeaf):
				if deafSince.IsZero() {
					deafSince = time.Now()
				}
				if time.Since(deafSince) < deafAfter {
					break
				}
				if launched != nil || ownershipOf(pm.pid, r.home.data()) != ours {
					return server{}, &ServerError{Op: "reach the server", Dir: r.home.dir, Err: fmt.Errorf(
						"process %d holds %s: %w: stop that process, or remove the file if it is no PostgreSQL",
						pm.pid, pidFilePath(r.home.data()), err)}
				}
				r.log.WarnContext(ctx, "private PostgreSQL does not answer at its socket; restarting it",
					slog.Int("pid", pm.pid), slog.String("socket", pm.socket))
				if err := terminate(ctx, r.home.data(), pm.pid); err != nil {
					return server{}, err
				}
			default:
				return server{}, err
			}
		case !running && launched == nil:
			if launched, err = r.launch(ctx); err != nil {
				return server{}, err
			}
		}
		if launched != nil {
			select {
			case <-launched.ended:
				out := logSince(r.home.log(), launched.logOffset)
				if strings.Contains(out, "pre-existing shared memory block") && time.Since(started) < memoryWait {
					launched = nil // the backends of a killed server are still ending
					break
				}
				return server{}, &ServerError{Op: "start the server", Dir: r.home.dir, Output: out, Err: launched.err}
			default:
			}
		}
		if time.Since(logged) > slowStart {
			logged = time.Now()
			r.log.InfoContext(ctx, "waiting for private PostgreSQL, which is recovering or stopping",
				slog.String("log", r.home.log()), slog.Duration("since", time.Since(started)))
		}
		if pause.For(ctx, readyPoll); ctx.Err() != nil {
			return server{}, &ServerError{Op: "wait for the server", Dir: r.home.dir,
				Output: logSince(r.home.log(), 0), Err: context.Cause(ctx)}
		}
	}
}

// launch starts the server as a process that outlives this one.
func (r runner) launch(ctx context.Context) (*child, error) {
	socket, err := r.home.socketDir()
	if err != nil {
		return nil, err
	}
	if err := r.writeSettings(ctx); err != nil {
		return nil, err
	}
	if err := r.home.clearStalePid(); err != nil {
		return nil, err
	}
	out, offset, err := r.home.openLog()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(r.bin.postgres(), r.serverArgs(
		"listen_addresses=",
		"port="+strconv.Itoa(port),
		"unix_socket_directories="+quoteDir(socket),
		"unix_socket_permissions=0700",
		"logging_collector=off",
		"log_destination=stderr",
	)...)
	cmd.SysProcAttr = r.home.account.attr()
	cmd.Dir = r.home.dir
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(&ServerError{Op: "start the server", Dir: r.home.dir, Err: err}, out.Close())
	}
	c := &child{pid: cmd.Process.Pid, ended: make(chan struct{}), logOffset: offset}
	go func() {
		defer close(c.ended)
		if c.err = cmd.Wait(); c.err == nil {
			c.err = errors.New("the server exited immediately, without an error")
		}
	}()
	return c, out.Close()
}

func (r runner) serverArgs(settings ...string) []string {
	args := []string{"-D", r.home.data()}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

// writeSettings writes settingsFile for the next start.
func (r runner) writeSettings(ctx context.Context) error {
	text := renderSettings(r.cfg.settings(r.supported(ctx)))
	path := filepath.Join(r.home.data(), settingsFile)
	tmp := path + ".new"
	err := os.WriteFile(tmp, text, 0o600)
	if err == nil {
		err = r.home.account.own(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("write the server's settings: %w", err)
	}
	return nil
}

// supported returns settings that depend on how the server was built: LZ4 compression, if it has that.
func (r runner) supported(ctx context.Context) map[string]string {
	cmd := exec.CommandContext(ctx, r.bin.postgres(), "-D", r.home.data(), "-c", "config_file="+os.DevNull,
		"-c", "default_toast_compression=lz4", "-C", "default_toast_compression")
	cmd.SysProcAttr = r.home.account.attr()
	cmd.Dir = r.home.dir
	cmd.Env = serverEnv()
	if cmd.Run() != nil {
		return nil
	}
	settings := map[string]string{"default_toast_compression": "lz4"}
	if r.bin.major >= 15 { // earlier versions only know on and off
		settings["wal_compression"] = "lz4"
	}
	return settings
}

var (
	errNotYet = errors.New("the server does not accept connections yet")
	errDeaf   = errors.New("nothing answers at the server's socket in")
)

// ping connects as the superuser and checks that the server serves pgdata. The error is errNotYet while the server
// starts or stops, and errDeaf if nothing answers at the socket.
func (s server) ping(ctx context.Context, pgdata string) error {
	conn, err := pgx.Connect(ctx, s.url(AdminUser, AdminUser))
	if err != nil {
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) {
			if pgErr.Code == "57P03" || pgErr.Code == "53300" { // cannot_connect_now, too_many_connections
				return errNotYet
			}
			return fmt.Errorf("connect to private PostgreSQL in %s: %w", s.socket, err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, syscall.EACCES) {
			return fmt.Errorf("connect to private PostgreSQL in %s: %w", s.socket, err)
		}
		return fmt.Errorf("%w %s: %w", errDeaf, s.socket, err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was written
	var serves string
	if err := conn.QueryRow(ctx, "SELECT current_setting('data_directory')").Scan(&serves); err != nil {
		return errNotYet // the server has started to stop and has ended the session
	}
	if !sameDir(serves, pgdata) {
		return fmt.Errorf("the server behind %s serves %s, not %s", s.socket, serves, pgdata)
	}
	return nil
}

func sameDir(a, b string) bool {
	ai, errA := os.Stat(a)
	bi, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ai, bi)
}

// stop ends the home's server, if one runs, and waits until it is gone.
func (r runner) stop(ctx context.Context) error {
	pm, running, err := runningServer(r.home.data())
	if err != nil || !running {
		return err
	}
	if err := terminate(ctx, r.home.data(), pm.pid); err != nil {
		return err
	}
	r.log.InfoContext(ctx, "private PostgreSQL stopped", slog.Int("pid", pm.pid), slog.String("dir", r.home.dir))
	return r.home.dropShortSocketDir()
}

// terminate requests a fast shutdown of the server of pgdata, which ends sessions, rolls back their transactions and flushes everything, and
// waits for its end. If ctx ends first, the shutdown continues.
func terminate(ctx context.Context, pgdata string, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop private PostgreSQL (process %d): %w", pid, err)
	}
	for {
		// The lock file is the last thing that a server removes. The process may remain as a zombie for long.
		pm, running, err := runningServer(pgdata)
		if err != nil {
			return err
		}
		if !running || pm.pid != pid {
			return nil
		}
		if pause.For(ctx, readyPoll); ctx.Err() != nil {
			return fmt.Errorf("private PostgreSQL (process %d) is still stopping: %w", pid, context.Cause(ctx))
		}
	}
}
