package lead

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// A process that is frozen, or whose machine is gone, keeps its sessions, and so the lead and the row locks of its
// last transaction, until TCP gives up, which may take hours. So who stands by watches the position of its version, and ends
// the sessions of a leader that makes no progress although something waits. A leader that was only slow loses nothing but
// work: its compare-and-set fails, and it stands by.

// PatienceDefault is how long a leader may stand still while something waits.
const PatienceDefault = 30 * time.Second

// watch observes the leader of a version for a standby.
type watch struct {
	leadership *Leadership
	version    projections.Schema
	// stands returns where the version stands, and the newest position of its input.
	stands func(context.Context) (position, head int64, err error)

	position int64
	since    time.Time // when the leader was last seen to move, to have nothing to do, or to work
	looked   time.Time
}

func (l *Leadership) watch(version projections.Schema, stands func(context.Context) (position, head int64, err error)) *watch {
	return &watch{leadership: l, version: version, stands: stands, position: -1}
}

// look ends the leader's sessions if it is frozen. It returns errUnended if that is not allowed.
func (w *watch) look(ctx context.Context) error {
	if time.Since(w.looked) < w.leadership.patience/4 {
		return nil
	}
	position, head, err := w.stands(ctx)
	w.looked = time.Now()
	switch {
	case err != nil:
		return err
	case position != w.position || position >= head || w.leadership.tight != nil && w.leadership.tight(): // the leader waits for space
		w.position, w.since = position, w.looked
		return nil
	case time.Since(w.since) < w.leadership.patienceAt(w.version, position):
		return nil
	}
	pid, led, err := w.leader(ctx)
	if err != nil || pid == 0 {
		return err
	}
	working, err := w.works(ctx, led)
	if err != nil {
		return err
	}
	if working {
		w.since = w.looked
		return nil
	}
	return w.end(ctx, pid, head-position)
}

// leader returns the session that leads the version, and all versions that it leads; 0 if no session does.
func (w *watch) leader(ctx context.Context) (pid int32, led []projections.Schema, err error) {
	leaders, err := register.Leaders(ctx, w.leadership.pool)
	if err != nil {
		return 0, nil, err
	}
	pid = leaders[w.version]
	for version, other := range leaders {
		if other == pid {
			led = append(led, version)
		}
	}
	return pid, led, nil
}

// worksSQL selects whether the server works at a statement that writes, or analyses, tables of schemas that a regular
// expression matches. The making of an index may take hours, in which the position stays where it is. A session that waits
// for its client does not work.
const worksSQL = `
	SELECT EXISTS (
		SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'
		  AND (backend_xid IS NOT NULL OR query LIKE 'ANALYZE%') AND query ~ $1)`

// works reports whether the server works at tables of versions.
func (w *watch) works(ctx context.Context, versions []projections.Schema) (working bool, err error) {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = regexp.QuoteMeta(v.String())
	}
	err = w.leadership.pool.QueryRow(ctx, worksSQL, `\m(`+strings.Join(names, "|")+`)\M`).Scan(&working)
	if err != nil {
		return false, fmt.Errorf("read what the leader of projection %s does: %w", w.version, err)
	}
	return working, nil
}

// errUnended is returned when the database does not let this process end the sessions of another one.
var errUnended = errors.New("the leader's sessions can't be ended")

// endSQL ends the session that leads, and those that hold positions while the server waits for their client for some
// seconds. What these would have written is rolled back.
const endSQL = `
	WITH frozen AS MATERIALIZED (
		SELECT a.pid FROM pg_stat_activity a
		WHERE a.datname = current_database() AND (
			a.pid = $1
			OR a.wait_event = 'ClientRead' AND a.state <> 'idle' AND a.state_change < clock_timestamp() - make_interval(secs => $2)
			   AND EXISTS (
				SELECT FROM pg_locks l
				WHERE l.pid = a.pid AND l.relation = 'strata.projection'::regclass AND l.mode IN ('RowShareLock', 'RowExclusiveLock')))
	)
	SELECT coalesce(array_agg(pid) FILTER (WHERE pg_terminate_backend(pid)), '{}') FROM frozen`

func (w *watch) end(ctx context.Context, leader int32, waiting int64) error {
	patience := w.leadership.patienceAt(w.version, w.position)
	attrs := []slog.Attr{
		slog.String("projection", w.version.String()), slog.Int64("position", w.position), slog.Int64("waiting", waiting),
		slog.Duration("for", time.Since(w.since).Round(time.Second)),
	}
	var ended []int32
	err := w.leadership.pool.QueryRow(ctx, endSQL, leader, patience.Seconds()).Scan(&ended)
	w.leadership.tookOver(w.version, w.position)
	w.since = time.Now()
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == "42501": // insufficient_privilege
		w.leadership.logger.LogAttrs(ctx, slog.LevelWarn, "the projection's leader makes no progress, and this role may not end its sessions; "+
			"following beside it (grant pg_signal_backend to end them)", append(attrs, slog.Any("error", err))...)
		return errUnended
	case err != nil:
		return fmt.Errorf("end the sessions of the leader of projection %s: %w", w.version, err)
	}
	w.leadership.logger.LogAttrs(ctx, slog.LevelWarn, "the projection's leader made no progress; ended its sessions", append(attrs, slog.Any("sessions", ended))...)
	return nil
}

// takeover is how often this process has taken a version over at a position.
type takeover struct {
	position int64
	times    int
}

// patienceAt returns how long a version may stand still at a position. It doubles with each takeover there, so that two
// processes do not keep each other for ever from folding an item that takes long.
func (l *Leadership) patienceAt(version projections.Schema, position int64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.takeovers[version]; t.position == position {
		return l.patience << min(t.times, 10)
	}
	return l.patience
}

func (l *Leadership) tookOver(version projections.Schema, position int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.takeovers[version]
	if t.position != position {
		t = takeover{position: position}
	}
	t.times++
	l.takeovers[version] = t
}

// standBy waits until this process leads a version, and returns the connection that does; nil when it leads beside a
// frozen leader whose sessions it may not end.
func (l *Leadership) standBy(ctx context.Context, w *watch) (*pgx.Conn, error) {
	for {
		pause.For(ctx, min(standbyInterval, l.patience/4))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if conn, err := l.try(ctx, w.version); err != nil || conn != nil {
			return conn, err
		}
		switch err := w.look(ctx); {
		case errors.Is(err, errUnended):
			return nil, nil
		case errors.Is(err, register.ErrNotRegistered):
			return nil, err
		case err != nil: // the leader may be well, so this is no failure of the projection
			l.logger.LogAttrs(ctx, slog.LevelDebug, "cannot see whether the projection's leader makes progress; trying again",
				slog.String("projection", w.version.String()), slog.Any("error", err))
		}
	}
}
