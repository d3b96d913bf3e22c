package database

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/rig/replay"
)

// bouncer starts PgBouncer before a database, with its default settings but the mode of pooling, and returns the URL through it.
func bouncer(t *testing.T, databaseURL string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; exec.Command(program, "--version").Run() != nil {
			t.Skip("no pgbouncer: apt-get install pgbouncer")
		}
	}
	server := must.Get(url.Parse(databaseURL))(t)
	query := server.Query()
	host := query.Get("host")
	if host == "" {
		host = server.Hostname()
	}
	port := query.Get("port")
	if port == "" {
		if port = server.Port(); port == "" {
			port = "5432"
		}
	}
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	own := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	dir := t.TempDir()
	name := strings.TrimPrefix(server.Path, "/")
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n%s = host=%s port=%s dbname=%s user=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
		"unix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 10\nmax_client_conn = 200\n",
		name, host, port, name, server.User.Username(), own)
	must.Do(t, os.WriteFile(config, []byte(text), 0o644))
	cmd := exec.Command(program, config)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if os.Getuid() == 0 { // which it refuses; it reads its settings as the other user
		for parent := dir; parent != os.TempDir() && parent != "/"; parent = filepath.Dir(parent) {
			must.Do(t, os.Chmod(parent, 0o755))
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if socket, err := os.Stat(host); err == nil { // only its owner may use it
			owner := socket.Sys().(*syscall.Stat_t)
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
		}
	}
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("pgbouncer said: %s", said.String())
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", own)
	eventually.Holds(t, "pgbouncer listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", server.User.Username(), address, name)
}

// TestPgBouncer migrates, appends and folds through PgBouncer in transaction mode, with two processes, of which one ends. A
// session's advisory locks stay with the connection of the pooler, so that the other process can't tell by them that it may lead.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	through := bouncer(t, pgtest.Fresh(t))
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
	open := func() *DB {
		t.Helper()
		db := must.Get((&Flags{DatabaseURL: through}).Create(t.Context(), logger))(t)
		pgtest.AtEnd(t, func() { db.Close(logger) })
		return db
	}
	run := func(db *DB) (stop func()) {
		t.Helper()
		c := must.Get(chain.New(chain.Recommended, logger))(t)
		config := follow.Config{Log: db.Log, Logger: logger, Interval: 50 * time.Millisecond, LeaderPatience: time.Second}
		return replay.Follow(t, config, projections.Chain(c, balances.New(nil), mempool.New()))
	}
	first, second := open(), open()
	made := synthchain.New(synthchain.Everything(3, synthchain.V3109))
	post := func(db *DB, n int) {
		t.Helper()
		for range n {
			p := made.Next()
			in := eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: p.Path, ContentType: "application/json", Body: eventstore.NewBody(p.Body)}
			eventually.Holds(t, "the event is appended", func() bool {
				_, err := db.Log.Append(t.Context(), in)
				return err == nil
			})
		}
	}
	// On a busy machine, a leader may make no progress for a second. Its session is ended then, which the pooler may have given
	// to somebody else by that time: who appends tries again, as nodes do, and so does who reads.
	wait := func() {
		t.Helper()
		eventually.Holds(t, "all is folded", func() bool {
			var height int64
			err := second.Pool.QueryRow(t.Context(), `
				SELECT b.block_height FROM strata.projection b JOIN strata.projection c ON c.name = 'chain' JOIN log.head ON c.position = size
				WHERE b.name = 'balances'`).Scan(&height)
			return err == nil && uint64(height) == made.Expected().Tip.Height
		})
	}
	stop := run(first)
	run(second)
	post(first, 40)
	post(second, 40)
	wait()
	stop()
	stopped := time.Now()
	post(second, 40)
	post(first, 40)
	wait()
	t.Logf("fault: behind PgBouncer, the process that leads ends; the other one had folded all %s after", time.Since(stopped).Round(time.Millisecond))
}
