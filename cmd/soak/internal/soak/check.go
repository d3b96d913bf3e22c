package soak

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/serverrig"
)

// verifyTimeout bounds strata verify at the end.
const verifyTimeout = 10 * time.Minute

// checked is what the log held at the end.
type checked struct {
	events     int // in the log
	duplicates int // of them, repeated by the node because an answer was lost
	lost       int // accepted and not in the log
	foreign    int // in the log and never posted, or too often
	verified   string
}

// inspect compares the log with what was posted, and verifies it and the read tables.
func (s *soak) inspect(ctx context.Context) {
	began := time.Now()
	if !s.await(ctx, "the server is ready after the load", func() bool { return s.ready(ctx) }) {
		return
	}
	s.await(ctx, "no read table lags after the load", func() bool { return s.lag(ctx) == 0 })
	s.followed = time.Since(began)
	s.check("end the server", s.server.End(syscall.SIGINT, time.Minute))
	if s.server.ProcessState.ExitCode() != 0 {
		s.broken("the server ended with %s after SIGINT; it said:\n%s", s.server.ProcessState, s.said())
	}
	if text, err := os.ReadFile(s.logFile()); s.check("read the log of the server", err) {
		for _, bad := range []string{"panic:", "DATA RACE", "fatal error:", "goroutine 1 ["} {
			if bytes.Contains(text, []byte(bad)) {
				s.broken("the server said %q; its last words:\n%s", bad, s.said())
			}
		}
	}
	s.check("read the log", s.inDatabase(ctx, func(conn *pgx.Conn) error { return s.checkLog(ctx, conn) }))
	s.logf("verify the log and the read tables")
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, s.Program, "verify", "--database-url", s.database.URL(), "--data-dir", s.dir+"/server")
	began = time.Now()
	output, err := command.CombinedOutput()
	s.checked.verified = fmt.Sprintf("clean, in %s", time.Since(began).Round(100*time.Millisecond))
	if err != nil {
		s.checked.verified = err.Error()
		s.broken("strata verify: %v:\n%s", err, output)
	}
}

// lag returns by how many events the slowest read table is behind the log; -1 if that can't be had.
func (s *soak) lag(ctx context.Context) (lag int64) {
	var status struct {
		Strata struct {
			Projections []struct {
				Name, State string
				Lag         int64
			}
		}
	}
	if err := serverrig.Read(ctx, 10*time.Second, s.api+"/extended/v1/status", &status); err != nil || len(status.Strata.Projections) == 0 {
		return -1
	}
	for _, p := range status.Strata.Projections {
		if p.State == "failed" {
			s.broken("the projection %s has failed; the server said:\n%s", p.Name, s.said())
		}
		lag = max(lag, p.Lag)
	}
	return lag
}

// checkLog reads the log: it has no gap, each accepted event is there, and nothing else that was posted. The paths of posts begin with a
// slash, and others are the server's own.
func (s *soak) checkLog(ctx context.Context, conn *pgx.Conn) error {
	var first, last, size int64
	if err := conn.QueryRow(ctx, `
		SELECT count(*), coalesce(min(seq), 0), coalesce(max(seq), 0), (SELECT size FROM log.head) FROM log.event`).
		Scan(&s.checked.events, &first, &last, &size); err != nil {
		return err
	}
	if n := int64(s.checked.events); n != size || n != last || n > 0 && first != 1 {
		s.broken("the log has %d events from %d to %d, and its head says %d: there is a gap", n, first, last, size)
	}
	rows, err := conn.Query(ctx, `SELECT path, sha256, count(*) FROM log.event WHERE starts_with(path, '/') GROUP BY path, sha256`)
	if err != nil {
		return err
	}
	stored := map[posted]int{}
	var path string
	var digest []byte
	var count int
	if _, err := pgx.ForEachRow(rows, []any{&path, &digest, &count}, func() error {
		stored[posted{path, [sha256.Size]byte(digest)}] = count
		return nil
	}); err != nil {
		return err
	}
	s.checked.compare(s.feed.posts, stored)
	if s.checked.lost > 0 {
		s.broken("%d events were accepted and are not in the log", s.checked.lost)
	}
	if s.checked.foreign > 0 {
		s.broken("%d events are in the log that nobody posted, or that were posted less often", s.checked.foreign)
	}
	return nil
}

// compare counts the events that were accepted and are not stored, those that are stored more often than they were
// accepted because an answer was lost, and those that were not posted.
func (c *checked) compare(posts map[posted]*deliveries, stored map[posted]int) {
	for key, d := range posts {
		n := stored[key]
		c.lost += max(0, d.accepted-n)
		c.duplicates += max(0, min(n, d.attempts)-d.accepted)
		c.foreign += max(0, n-d.attempts)
	}
	for key, n := range stored {
		if posts[key] == nil {
			c.foreign += n
		}
	}
}
