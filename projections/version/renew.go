package version

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/dberror"
	"strata/internal/instrument"
	"strata/internal/locks"
	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

const (
	// renewInterval is how often a Renewal looks while something is due, and idleInterval how often it does otherwise.
	renewInterval = time.Second
	idleInterval  = 5 * time.Second
	// renewPause is how long it leaves versions alone that can't become active: each attempt reads their tables.
	renewPause = 5 * time.Minute
)

// errSettled is returned when versions are not due any more at the moment of their switch.
var errSettled = errors.New("another process or a command has decided meanwhile")

// RenewalConfig configures a Renewal.
type RenewalConfig struct {
	Pool   *pgxpool.Pool
	Lines  projections.Lines
	Logger *slog.Logger
	// Registry for metrics; nil for none.
	Registry prometheus.Registerer
	// Activate makes versions active once they are built.
	Activate bool
	// Patience is for how long others wait for a process that is frozen while it makes a version active; default
	// locks.PatienceDefault.
	Patience time.Duration
	// Keep is how long versions are kept after others with newer rules became active; 0: until a command drops them.
	Keep time.Duration
}

// Renewal lets new rules take over without a command: it makes versions active that servers have built by themselves,
// each leader with its followers, as Activate does; and it drops what they have replaced. It touches no version that a
// command made, and none that was active before: what somebody has rolled back stays so.
type Renewal struct {
	RenewalConfig
	blocked atomic.Pointer[string] // why a version that is built does not become active
	rests   map[string]time.Time   // when to try again, by what is tried; used by one goroutine
	failing *prometheus.GaugeVec
}

// NewRenewal prepares a Renewal. Call Run.
func NewRenewal(config RenewalConfig) *Renewal {
	r := &Renewal{RenewalConfig: config, rests: map[string]time.Time{}}
	r.failing = instrument.Registered(config.Registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "strata_projection_activation_blocked",
		Help: "1 while a version that is built can't become active, such as for what its verification has found.",
	}, []string{"projection"}))
	return r
}

// Notice returns why versions that are built do not become active; empty when nothing is wrong.
func (r *Renewal) Notice() string {
	if reason := r.blocked.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Run renews until ctx ends.
func (r *Renewal) Run(ctx context.Context) {
	for ctx.Err() == nil {
		pause.For(ctx, r.renew(ctx))
	}
}

// renew looks once, and returns how long to wait before the next look.
func (r *Renewal) renew(ctx context.Context) (wait time.Duration) {
	es, err := register.Read(ctx, r.Pool)
	if err != nil {
		return renewInterval // what follows the log says that the database does not answer
	}
	wait = idleInterval
	if r.Activate && r.activateDue(ctx, es) {
		wait = renewInterval
	}
	if r.Keep > 0 {
		r.dropReplaced(ctx, es)
	}
	return wait
}

// activateDue makes active what is due and built, and reports whether anything was due.
func (r *Renewal) activateDue(ctx context.Context, es register.Entries) bool {
	groups := due(r.Lines, es)
	if len(groups) == 0 {
		r.succeed()
	}
	for _, version := range groups {
		if r.resting(version.String()) {
			continue
		}
		building, err := firstBuilding(ctx, r.Pool, r.Lines, []projections.Schema{version})
		var input *InputError
		if building != nil || errors.As(err, &input) {
			continue // of a line that is being registered, followers are still missing
		}
		var switches []Switch
		if err == nil {
			switches, err = r.activateAlone(ctx, version)
		}
		switch {
		case ctx.Err() != nil || errors.Is(err, errSettled):
		case dberror.Passing(err) || errors.As(err, new(*BehindError)): // it says nothing about the version
			r.rests[version.String()] = time.Now().Add(idleInterval)
			r.Logger.LogAttrs(ctx, slog.LevelWarn, "a new version of read tables could not become active now; trying again",
				slog.String("projection", version.String()), slog.Any("error", err))
		case err != nil:
			r.rests[version.String()] = time.Now().Add(renewPause)
			reason := fmt.Sprintf("%s is built and does not become active: %s", version, err)
			r.blocked.Store(&reason)
			r.failing.WithLabelValues(version.Name).Set(1)
			r.Logger.LogAttrs(ctx, slog.LevelError, "a new version of read tables can't become active; trying again later",
				slog.String("projection", version.String()), slog.Any("error", err), slog.Duration("in", renewPause))
		case len(switches) > 0:
			r.succeed()
			names := make([]string, len(switches))
			for i, s := range switches {
				names[i] = projections.Schema{Name: s.Name, Version: s.To}.String()
			}
			r.Logger.LogAttrs(ctx, slog.LevelInfo, "new versions of read tables are active", slog.String("versions", strings.Join(names, ", ")))
		}
	}
	return len(groups) > 0
}

func (r *Renewal) succeed() {
	r.blocked.Store(nil)
	r.failing.Reset()
}

func (r *Renewal) resting(what string) bool { return time.Now().Before(r.rests[what]) }

// activateAlone makes a version active, with those that belong to it, unless another process is at it.
func (r *Renewal) activateAlone(ctx context.Context, version projections.Schema) (switches []Switch, err error) {
	err = locks.Hold(ctx, r.Pool, r.Patience, func(tx pgx.Tx) error {
		// Nobody else verifies the same versions meanwhile.
		if err := locks.TryTable(ctx, tx, `strata.activation`); errors.Is(err, locks.ErrHeld) {
			return errSettled
		} else if err != nil {
			return fmt.Errorf("look whether another process activates %s: %w", version, err)
		}
		defer locks.KeepAlive(ctx, r.Patience, func(ctx context.Context) error {
			_, err := tx.Exec(ctx, `SELECT`)
			return err
		})()
		switches, err = activate(ctx, r.Pool, r.Lines, []projections.Schema{version}, func(es register.Entries) error {
			for _, v := range due(r.Lines, es) {
				if v == version {
					return nil
				}
			}
			return errSettled
		})
		return err
	})
	if len(switches) > 0 {
		return switches, nil // the lock may be lost meanwhile: it only saves work
	}
	return nil, err
}

// due returns the versions that should become active once they are built: of a line whose leader has new rules, that of
// the leader, which brings those of its followers; otherwise those of followers with new rules.
func due(lines projections.Lines, es register.Entries) (all []projections.Schema) {
	for _, line := range lines {
		definitions := line.Definitions()
		leader, ok := es.Active(line.Name())
		if !ok {
			continue // the first version becomes active when it is made
		}
		for i, d := range definitions {
			if i > 0 && leader.Rules != definitions[0].Spec.Version {
				break
			}
			if active, ok := es.Active(d.Spec.Name); ok && active.Rules >= d.Spec.Version {
				continue // a program with older rules leaves newer ones where they are
			}
			next, ok := es.Of(d).Find(func(e register.Entry) bool {
				return e.Automatic && e.ActivatedAt == nil && !e.Previous && (i == 0 || e.Leader() == leader.Schema)
			})
			if ok {
				all = append(all, next.Schema)
			}
		}
	}
	return all
}

// dropReplaced drops the versions that were replaced long enough ago.
func (r *Renewal) dropReplaced(ctx context.Context, es register.Entries) {
	for _, version := range replaced(es, time.Now().Add(-r.Keep)) {
		if what := "drop " + version.String(); !r.resting(what) {
			r.rests[what] = time.Now().Add(renewPause)
			if err := Drop(ctx, r.Pool, version); err == nil {
				r.Logger.LogAttrs(ctx, slog.LevelInfo, "dropped a version of read tables that was replaced", slog.String("projection", version.String()), slog.Duration("kept", r.Keep))
			} else if ctx.Err() == nil && !errors.Is(err, ErrNotRegistered) {
				r.Logger.LogAttrs(ctx, slog.LevelWarn, "a version of read tables that was replaced can't be dropped; trying again later",
					slog.String("projection", version.String()), slog.Any("error", err))
			}
		}
	}
}

// replaced returns the versions that newer rules had replaced by a moment, and whose steps no other version folds: those
// with older rules than the active version, and those that fold the steps of such a version. Versions that a command made
// are not among them.
func replaced(es register.Entries, by time.Time) (all []projections.Schema) {
	older := func(e register.Entry) bool {
		active, ok := es.Active(e.Name)
		return ok && !e.Active && e.Automatic && e.Rules < active.Rules && active.ActivatedAt != nil && !active.ActivatedAt.After(by)
	}
	for _, e := range es {
		leader, err := es.Get(e.Leader())
		orphaned := err == nil && !e.Active && e.Automatic && older(leader)
		if (older(e) || orphaned) && !es.Has(func(other register.Entry) bool { return other.Leader() == e.Schema }) {
			all = append(all, e.Schema)
		}
	}
	return all
}
