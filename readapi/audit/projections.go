package audit

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// projectionList is the register of projections, with the progress of each version.
type projectionList struct {
	LogSize     int64            `json:"log_size" doc:"Number of events in the log."`
	Projections []versionOfTable `json:"projections" nullable:"false" doc:"All versions, by name and version."`
}

// versionOfTable is a version of a projection's tables.
type versionOfTable struct {
	Name        string   `json:"name"`
	Version     int      `json:"version"`
	Rules       int      `json:"rules" doc:"Version number of the code that builds it."`
	Active      bool     `json:"active" doc:"Whether answers are read from it."`
	Previous    bool     `json:"previous" doc:"Whether a rollback returns to it."`
	Input       string   `json:"input" doc:"Its input: log, or the version whose steps it folds."`
	State       string   `json:"state" enum:"building,live,failed"`
	Position    int64    `json:"position" doc:"Number of items of its input that it has folded."`
	Head        int64    `json:"head" doc:"Number of items that its input has."`
	Lag         int64    `json:"lag" doc:"Number of items of its input that it has not folded yet."`
	LagSeconds  float64  `json:"lag_seconds" doc:"Seconds since the first of these was received; 0 if there are none."`
	BlockHeight *int64   `json:"block_height" doc:"Height of its tip; null before the first block."`
	Rate        *float64 `json:"rate" doc:"Items per second that it folded when it was last far behind; null if that was never measured."`
	ETASeconds  *float64 `json:"eta_seconds" doc:"Seconds until it has folded the lag at this rate; null if the rate is not known, or without a lag."`
	Throttle    *int64   `json:"throttle" doc:"Maximum items per second; null for unlimited."`
	Error       *string  `json:"error" doc:"The error that stopped it; null unless its state is failed. Only operators see the error."`
	Quarantined int64    `json:"quarantined" doc:"Number of events, and parts of events, that it could not decode."`
}

func (a *api) registerProjections() {
	// The answer changes with time and with throttles, which no dependency covers, so it is never cached.
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "list-projections", Path: "/audit/v1/projections", Tag: "Audit", Summary: "List all versions of all projections",
		Description: "The progress of each version, including those that are being built. `/extended/v1/status` has the active versions.",
		Untraced:    engine.WhereProjectionsStand,
	}, func(ctx context.Context, _ *struct{}) (*projectionList, error) {
		value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) { return listProjections(ctx, s) })
		list, _ := value.(*projectionList)
		if list != nil && !a.ShowsInternals(ctx) {
			list.withhold()
		}
		return list, err
	})
}

// withhold removes what only operators should know.
func (l *projectionList) withhold() {
	stopped := engine.Stopped
	for i := range l.Projections {
		if l.Projections[i].Error != nil {
			l.Projections[i].Error = &stopped
		}
	}
}

func listProjections(ctx context.Context, s *engine.Snapshot) (*projectionList, error) {
	versions := s.State.Versions
	b := s.Batch()
	entries := engine.Query(b, func(e *registerEntry) []any {
		return []any{&e.name, &e.version, &e.previous, &e.rate, &e.throttle, &e.quarantined}
	}, `
		SELECT {}, p.name, p.version, coalesce(a.previous = p.version, false), p.rate, p.throttle,
		       (SELECT count(*) FROM strata.quarantine q WHERE q.name = p.name AND q.version = p.version)
		FROM strata.projection p LEFT JOIN strata.active a USING (name)
		WHERE NOT p.scratch`)
	ends := make([]*engine.Result[inputEnd], len(versions))
	for i, v := range versions {
		ends[i] = queryInputEnd(b, v)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	found := map[versionName]registerEntry{}
	for _, e := range entries.Rows {
		found[e.versionName] = e
	}
	list := &projectionList{LogSize: s.State.LogSize, Projections: make([]versionOfTable, len(versions))}
	for i, v := range versions {
		end, _ := ends[i].First()
		list.Projections[i] = describeVersion(v, found[versionName{v.Name, v.Number}], end)
	}
	return list, nil
}

type versionName struct {
	name    string
	version int
}

// registerEntry holds the columns of the register that only this operation reads.
type registerEntry struct {
	versionName
	previous    bool
	rate        *float64
	throttle    *int64
	quarantined int64
}

// inputEnd is the end of a version's input, and the time at which the first item that it has not folded yet was
// received.
type inputEnd struct {
	head         int64
	waitingSince *time.Time
}

func queryInputEnd(b *engine.Batch, v *register.Version) *engine.Result[inputEnd] {
	columns := func(e *inputEnd) []any { return []any{&e.head, &e.waitingSince} }
	if v.Input == "log" {
		return engine.Query(b, columns, `
			SELECT {}, size, (SELECT received_at FROM log.event WHERE seq = $1::bigint + 1) FROM log.head`, v.Position)
	}
	steps := pgx.Identifier{v.Input, "step"}.Sanitize()
	return engine.Query(b, columns, `
		SELECT {}, coalesce((SELECT max(step) FROM `+steps+`), 0),
		       (SELECT e.received_at FROM `+steps+` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $1::bigint + 1)`, v.Position)
}

func describeVersion(v *register.Version, e registerEntry, end inputEnd) versionOfTable {
	t := versionOfTable{
		Name: v.Name, Version: v.Number, Rules: v.Rules, Active: v.Active, Previous: e.previous, Input: v.Input, State: v.State,
		Position: v.Position, Head: end.head, Lag: max(end.head-v.Position, 0), BlockHeight: v.Height,
		Rate: e.rate, Throttle: e.throttle, Error: v.Failure, Quarantined: e.quarantined,
	}
	if t.Lag == 0 {
		return t
	}
	if end.waitingSince != nil {
		t.LagSeconds = max(time.Since(*end.waitingSince).Seconds(), 0)
	}
	if rate := e.expectedRate(); rate > 0 {
		seconds := float64(t.Lag) / rate
		t.ETASeconds = &seconds
	}
	return t
}

// expectedRate returns the items per second that a version can be expected to fold; 0 when the rate is not known.
func (e registerEntry) expectedRate() (rate float64) {
	if e.rate != nil {
		rate = *e.rate
	}
	if e.throttle != nil && (rate == 0 || rate > float64(*e.throttle)) {
		rate = float64(*e.throttle)
	}
	return rate
}
