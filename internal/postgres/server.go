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
)

const (
	readyPoll = 15 * time.Millisecond
	// slowStart is after how long, and how often, a start that takes long (crash recovery) is mentioned.
	slowStart = 5 * time.Second
	// deafAfter is how long a server that was found running may be without a socket that answers, before it is
	// stopped and started anew (something removed its socket).
	deafAfter = 10 * time.Second
	// memoryWait is how long the backends of a killed postmaster get to notice and end.
	memoryWait = 15 * time.Second
)

// server is a running postmaster that answers.
type server struct {
	pid    int
	socket string
}

// launched is a postmaster that this process started.
type launched struct {
	pid       int
	ended     chan struct{} // closed when it has been reaped
	err       error         // how it ended; read after ended
	logOffset int64
}

// runner starts, finds and stops the server of one home. The cluster's lock is held throughout.
type runner struct {
	home home
	bin  binaries
	cfg  Config
	log  *slog.Logger
}

// run returns the cluster's server, found or started, once it accepts connections.
func (r runner) run(ctx context.Context) (server, error) {
	began := time.Now()
	var (
		child  *launched
		silent time.Time // since when a server that was found gives no answer
		spoke  = began
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
				if child != nil {
					msg = "private PostgreSQL started"
				}
				r.log.InfoContext(ctx, msg, slog.Int("pid", s.pid), slog.String("dir", r.home.dir),
					slog.String("socket", s.socket), slog.Duration("took", time.Since(began)))
				return s, nil
			case errors.Is(err, errNotYet):
				silent = time.Time{}
			case errors.Is(err, errDeaf):
				if silent.IsZero() {
					silent = time.Now()
				}
				if time.Since(silent) < deafAfter {
					break
				}
				if child != nil || kin(pm.pid, r.home.data()) != ours {
					return server{}, &ServerError{Op: "reach the server", Dir: r.home.dir, Err: fmt.Errorf(
						"process %d holds %s: %w: stop that process, or remove the file if it is no PostgreSQL",
						pm.pid, pidFilePath(r.home.data()), err)}
				}
				r.log.WarnContext(ctx, "private PostgreSQL runs but its socket is gone: starting it anew",
					slog.Int("pid", pm.pid), slog.String("socket", pm.socket))
				if err := r.terminate(ctx, pm.pid); err != nil {
					return server{}, err
				}
			default:
				return server{}, err
			}
		case !running && child == nil:
			if child, err = r.launch(ctx); err != nil {
				return server{}, err
			}
		}
		if child != nil {
			select {
			case <-child.ended:
				out := logSince(r.home.log(), child.logOffset)
				if strings.Contains(out, "pre-existing shared memory block") && time.Since(began) < memoryWait {
					child = nil // the backends of a killed server are still ending
					break
				}
				return server{}, &ServerError{Op: "start the server", Dir: r.home.dir, Output: out, Err: child.err}
			default:
			}
		}
		if time.Since(spoke) > slowStart {
			spoke = time.Now()
			r.log.InfoContext(ctx, "waiting for private PostgreSQL, which is recovering or stopping",
				slog.String("log", r.home.log()), slog.Duration("since", time.Since(began)))
		}
		if err := sleep(ctx, readyPoll); err != nil {
			return server{}, &ServerError{Op: "wait for the server", Dir: r.home.dir,
				Output: logSince(r.home.log(), 0), Err: err}
		}
	}
}

// launch starts the server as a process that outlives this one.
func (r runner) launch(ctx context.Context) (*launched, error) {
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
	l := &launched{pid: cmd.Process.Pid, ended: make(chan struct{}), logOffset: offset}
	go func() {
		defer close(l.ended)
		if l.err = cmd.Wait(); l.err == nil {
			l.err = errors.New("it ended at once")
		}
	}()
	return l, out.Close()
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
	text := renderSettings(r.cfg.settings(r.offered(ctx)))
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

// offered are settings that depend on how the server was built: LZ4 where it can.
func (r runner) offered(ctx context.Context) map[string]string {
	takes := func(name, value string) bool {
		args := append(r.serverArgs("config_file="+os.DevNull, name+"="+value), "-C", name)
		cmd := exec.CommandContext(ctx, r.bin.postgres(), args...)
		cmd.SysProcAttr = r.home.account.attr()
		cmd.Dir = r.home.dir
		cmd.Env = serverEnv()
		return cmd.Run() == nil
	}
	if !takes("default_toast_compression", "lz4") {
		return nil
	}
	settings := map[string]string{"default_toast_compression": "lz4"}
	if r.bin.major >= 15 { // before, it is a switch without a choice of method
		settings["wal_compression"] = "lz4"
	}
	return settings
}

var (
	errNotYet = errors.New("the server does not accept connections yet")
	errDeaf   = errors.New("nothing answers at the server's socket in")
)

// ping connects as the superuser and checks that what answers serves pgdata. The error is errNotYet while the
// server starts or stops and errDeaf while there is no working socket.
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
		return errNotYet // it was cut off by a stop that has just begun
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
	if err := r.terminate(ctx, pm.pid); err != nil {
		return err
	}
	r.log.InfoContext(ctx, "private PostgreSQL stopped", slog.Int("pid", pm.pid), slog.String("dir", r.home.dir))
	return r.home.dropShortSocketDir()
}

// terminate asks for a fast shutdown (sessions are cut, transactions rolled back, everything is flushed) and waits.
// Where ctx ends first the shutdown goes on by itself.
func (r runner) terminate(ctx context.Context, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop private PostgreSQL (process %d): %w", pid, err)
	}
	for {
		// Its lock file is the last thing a server removes. The process itself may stay for long as a zombie.
		pm, running, err := runningServer(r.home.data())
		if err != nil {
			return err
		}
		if !running || pm.pid != pid {
			return nil
		}
		if err := sleep(ctx, readyPoll); err != nil {
			return fmt.Errorf("private PostgreSQL (process %d) is still stopping: %w", pid, err)
		}
	}
}

// sleep waits for d or for the end of ctx, whose cause it then returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
