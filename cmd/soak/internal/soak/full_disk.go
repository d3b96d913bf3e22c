package soak

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/pause"
	"strata/internal/testkit/serverrig"
)

const (
	// diskFloor is the free space below which the server refuses events. Above what is left at the floor, Postgres has room for some
	// segments of its WAL, each of 16 MiB, so that it works as long as nobody writes much.
	diskFloor = 128 << 20
	leftBelow = 96 << 20
	// diskBase and diskPerEvent are the size of the disk: an empty database with its WAL, and what an event adds with its WAL and its
	// rows. Both are more than what runs have used.
	diskBase     = 2 << 30
	diskPerEvent = 512 << 10
	// diskFullMost is how long the disk stays full, at the floor and to the last byte.
	diskFullMost = 10 * time.Second
)

// diskFullFor is how long the disk stays full, at the floor and to the last byte.
func (s *soak) diskFullFor() time.Duration {
	return min(diskFullMost, (s.Duration / 15).Round(time.Second))
}

// mountDatabase gives the database a disk of its own. Where that is impossible, the run goes on without a full disk, and says so.
func (s *soak) mountDatabase() {
	s.databaseDir = s.dir
	d, err := serverrig.MountDisk(filepath.Join(s.dir, "disk"), diskBase+diskPerEvent*int64(s.Rate*s.Duration.Seconds()))
	if err != nil {
		s.noDisk = fmt.Sprintf("not tried, needs root on Linux (mount: %v)", err)
		s.logf("disk full: %s", s.noDisk)
		return
	}
	s.disk, s.databaseDir = d, filepath.Join(d.Folder, "database")
}

// fillDisk fills the disk of the database to the floor, where the server refuses events, and then to the last byte, where Postgres ends.
func (s *soak) fillDisk(ctx context.Context) {
	if s.disk == nil {
		return
	}
	s.fillToFloor(ctx)
	if ctx.Err() == nil {
		s.fillToLastByte(ctx)
	}
}

// offered is an event that the soak posts itself, to see what becomes of events.
var offered = []byte(`[]`)

const offeredPath = "/attachments/new"

// fillToFloor leaves less space than the floor. Events are refused, and reads go on: for errors of theirs, there is no excuse.
func (s *soak) fillToFloor(ctx context.Context) {
	s.logf("fill the disk to the floor")
	if !s.check("fill the disk", s.disk.Leave(leftBelow)) {
		return
	}
	refuses := func() bool {
		status, retryAfter := s.feed.offer(ctx, "http://"+s.attacks.observer, offeredPath, offered)
		return status == http.StatusServiceUnavailable && retryAfter
	}
	s.await(ctx, "events are refused with 503 and Retry-After while the disk has less space than the floor", refuses)
	pause.For(ctx, time.Second) // for which the node waits for the answer to an event that the server took before
	s.feed.refused.Store(0)
	stored := s.feed.accepted.Load()
	pause.For(ctx, s.diskFullFor())
	if n := s.feed.accepted.Load() - stored; n > 0 {
		s.broken("%d events were taken while the disk had less space than the floor", n)
	}
	s.recovered.refused = s.feed.refused.Load()
	if !s.check("empty the disk", s.disk.Restore()) {
		return
	}
	began := time.Now()
	takes := func() bool {
		status, _ := s.feed.offer(ctx, "http://"+s.attacks.observer, offeredPath, offered)
		return status == http.StatusOK
	}
	if s.await(ctx, "an event is taken after the disk has space again", takes) {
		s.recovered.floor = append(s.recovered.floor, time.Since(began))
	}
}

// fillToLastByte leaves no space, and writes WAL until Postgres can't. Like whoever supervises Postgres, it starts Postgres again and
// again until that succeeds.
func (s *soak) fillToLastByte(ctx context.Context) {
	s.logf("fill the disk to the last byte")
	end := s.timeline.begin(diskFull)
	if !s.check("fill the disk", s.disk.Leave(0)) {
		return
	}
	always, stop := context.WithCancel(context.WithoutCancel(ctx)) // a load that ends meanwhile still needs its database
	var supervising sync.WaitGroup
	supervising.Go(func() { s.running().Keep(always) })
	pid := s.running().Pid()
	err := s.writeUntilFull(ctx)
	if err == nil && ctx.Err() == nil {
		s.broken("Postgres wrote %d MiB to a full disk", walMost>>20)
	}
	pause.For(ctx, s.diskFullFor())
	emptied := s.check("empty the disk", s.disk.Restore())
	began := time.Now()
	if emptied {
		s.await(always, "Postgres answers after its disk has space again", func() bool { _, err := s.connections(always); return err == nil })
	}
	stop()
	supervising.Wait()
	s.recovered.panicked = s.running().Pid() != pid
	s.logf("the disk has space again; Postgres said: %v", err)
	if s.await(ctx, "the server is ready after the disk has space again", func() bool { return s.ready(ctx) }) {
		end()
		s.recovered.disk = append(s.recovered.disk, time.Since(began))
	}
}

// walMost is more WAL than segments have room for that Postgres keeps for later, in bytes.
const walMost = 8 << 30

// writeUntilFull writes messages of a megabyte to the WAL until that fails, and returns the error.
func (s *soak) writeUntilFull(ctx context.Context) error {
	return s.inDatabase(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT pg_logical_emit_message(false, 'full', repeat('x', 1048576)) FROM generate_series(1, $1)`, walMost>>20)
		return err
	})
}
