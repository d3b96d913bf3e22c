package engine

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
	"strata/internal/tracing"
	"strata/readapi/internal/admission"
	"strata/readapi/internal/register"
)

// A new block makes many answers out of date at once. Those that clients ask for again and again have to be built first:
// if they queued behind reads that nobody else asks for, all their clients would wait. Reads of hot targets, those with
// recent hits, therefore have connections of their own. All other reads pass a gate.

const (
	// hotFor is how long after a hit a target is hot. It exceeds the usual time between two blocks.
	hotFor = 2 * time.Minute
	// hotShare is the size of the pool of hot targets, as a share of the other one: 1/hotShare.
	hotShare = 4
	// gateWaiting is the maximum number of reads that wait at a gate.
	gateWaiting = 1024
	// gatePatience is the maximum time that a read waits at a gate.
	gatePatience = 5 * time.Second
	// briefRunning is the maximum number of brief reads that run or share round trips.
	briefRunning = 64
)

// lane is a set of connections, with the combiner that shares round trips over them.
type lane struct {
	pool     *pgxpool.Pool
	combiner *combiner
}

func (e *Engine) newLane(pool *pgxpool.Pool) *lane {
	l := &lane{pool: pool, combiner: newCombiner(pool)}
	l.combiner.panicked = e.Panicked
	return l
}

// openHotLane opens the connections for hot targets, until the returned function is called.
func (e *Engine) openHotLane(ctx context.Context) (close func(), err error) {
	config := e.Config.Pool.Config()
	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConns = max(config.MaxConns/hotShare, 2)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	e.hotLane.Store(e.newLane(pool))
	return func() {
		e.hotLane.Store(nil)
		pool.Close()
	}, nil
}

// laneOf returns the connections for the reads of a plan, and whether they are those of hot targets. A nil plan has those
// of all others.
func (e *Engine) laneOf(p *Plan) (l *lane, hot bool) {
	if p != nil && p.isHot(time.Now()) {
		if l := e.hotLane.Load(); l != nil {
			return l, true
		}
	}
	return e.lane, false
}

// hits notes when a plan was last answered from memory, in seconds since 1970.
type hits struct{ last atomic.Int64 }

// hit notes a hit. It writes once a second at most, so that many processors can note hits of one plan.
func (h *hits) hit(now time.Time) {
	if second := now.Unix(); h.last.Load() != second {
		h.last.Store(second)
	}
}

func (h *hits) isHot(now time.Time) bool {
	return now.Unix()-h.last.Load() <= int64(hotFor/time.Second)
}

// gates are the gates of the reads that are not of hot targets.
type gates struct {
	cold  *admission.Gate // takes a connection each
	brief *admission.Gate // share round trips, and so run in larger numbers
	// pressure says when fewer cold reads must run, because answers from memory come late.
	pressure *admission.Pressure
}

func newGates(config *Config) gates {
	running := config.ColdReads
	if running <= 0 {
		running = max(2*runtime.GOMAXPROCS(0), 4)
		if config.Pool != nil {
			running = min(running, max(int(config.Pool.Config().MaxConns)/2, 1))
		}
	}
	g := gates{pressure: &admission.Pressure{}}
	g.cold = admission.New(admission.Config{Running: running, Waiting: gateWaiting, Patience: gatePatience, Pressed: g.pressure.Look})
	g.brief = admission.New(admission.Config{Running: max(briefRunning, running), Waiting: gateWaiting, Patience: gatePatience})
	for name, gate := range map[string]*admission.Gate{"cold": g.cold, "brief": g.brief} {
		labels := prometheus.Labels{"gate": name}
		instrument.Registered(config.Registry, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "strata_api_reads_waiting", Help: "Reads that wait for their turn to use the database, by gate.", ConstLabels: labels,
		}, func() float64 { return float64(gate.Waiting()) }))
		instrument.Registered(config.Registry, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "strata_api_reads_refused_total", Help: "Reads that were refused because too many waited, by gate.", ConstLabels: labels,
		}, func() float64 { return float64(gate.Refused()) }))
	}
	return g
}

// ReadInTurn is Read for a request of a client: unless its target is hot, it waits for its turn. The error has CodeBusy if
// too many others wait.
func (e *Engine) ReadInTurn(ctx context.Context, p *Plan, known *register.State, handler handler) (value any, s *Snapshot, err error) {
	if e.Config.Tracer == nil {
		return e.readInTurn(ctx, p, known, handler)
	}
	ctx, span := e.Config.Tracer.Start(ctx, "read")
	defer span.End()
	if value, s, err = e.readInTurn(ctx, p, known, handler); !IsAnswer(err) {
		tracing.Fail(span, err)
	}
	return value, s, err
}

func (e *Engine) readInTurn(ctx context.Context, p *Plan, known *register.State, handler handler) (value any, s *Snapshot, err error) {
	gate := e.gates.cold
	_, hot := e.laneOf(p)
	switch {
	case isAtPrimary(ctx):
		gate = e.primary.gate
	case hot:
		return e.Read(ctx, p, known, handler)
	case p != nil && p.Operation.PointRead:
		gate = e.gates.brief
	}
	switch err := gate.Enter(ctx); {
	case errors.Is(err, admission.ErrBusy):
		return nil, nil, &Error{CodeBusy, "too many requests wait for the database; try again soon"}
	case err != nil:
		return nil, nil, err
	}
	defer gate.Leave()
	if e.Config.Tracer != nil {
		tracing.Note(ctx, "turn")
	}
	return e.Read(ctx, p, known, handler)
}
