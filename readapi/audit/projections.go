package audit

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// projectionList is the register of projections, with how far each version has come.
type projectionList struct {
	LogSize     int64            `json:"log_size" doc:"Events in the log."`
	Projections []versionOfTable `json:"projections" nullable:"false" doc:"All versions, by name and version."`
}

// versionOfTable is a version of a projection's tables.
type versionOfTable struct {
	Name        string   `json:"name"`
	Version     int      `json:"version"`
	Rules       int      `json:"rules" doc:"The number of the code that builds it."`
	Active      bool     `json:"active" doc:"Answers are read from it."`
	Previous    bool     `json:"previous" doc:"A rollback returns to it."`
	Input       string   `json:"input" doc:"What it folds: log, or the version whose steps it folds."`
	State       string   `json:"state" enum:"building,live,failed"`
	Position    int64    `json:"position" doc:"Items of its input that it reflects."`
	Head        int64    `json:"head" doc:"Items that its input has."`
	Lag         int64    `json:"lag" doc:"Items of its input that it does not reflect yet."`
	LagSeconds  float64  `json:"lag_seconds" doc:"How long ago the first of these was received; 0 without any."`
	BlockHeight *int64   `json:"block_height" doc:"Of the tip that it reflects; null before the first block."`
	Rate        *float64 `json:"rate" doc:"Items that it folded in a second when it was far behind the last time; null when it was not measured."`
	ETASeconds  *float64 `json:"eta_seconds" doc:"When it will have caught up at that rate, if nothing else came; null when that is not known, or it has."`
	Throttle    *int64   `json:"throttle" doc:"How many items it may fold in a second; null for as many as it can."`
	Error       *string  `json:"error" doc:"What stopped it; null while its state is not failed."`
	Quarantined int64    `json:"quarantined" doc:"Events that it could not read."`
}

func (a *api) registerProjections() {
	// Time goes by and throttles are set without a change of what answers are kept by: it is made anew for each who asks.
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "list-projections", Path: "/audit/v1/projections", Tag: "Audit", Summary: "All versions of all read tables",
		Description: "How far each has come, those that are being built included. `/extended/v1/status` has the active ones.",
	}, func(ctx context.Context, _ *struct{}) (*projectionList, error) {
		value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) { return listProjections(ctx, s) })
		list, _ := value.(*projectionList)
		return list, err
	})
}

func listProjections(ctx context.Context, s *engine.Snapshot) (*projectionList, error) {
	versions := s.State.Versions
	b := s.Batch()
	entries := engine.Query(b, func(e *registerEntry) []any {
		return []any{&e.name, &e.version, &e.previous, &e.rate, &e.throttle, &e.quarantined}
	}, `
		SELECT ARRAY[]::bigint[], p.name, p.version, coalesce(a.previous = p.version, false), p.rate, p.throttle,
		       (SELECT count(*) FROM strata.quarantine q WHERE q.name = p.name AND q.version = p.version)
		FROM strata.projection p LEFT JOIN strata.active a USING (name)
		WHERE NOT p.scratch`)
	ends := make([]*engine.Result[inputEnd], len(versions))
	for i, v := range versions {
		ends[i] = queryInputEnd(b, v)
	}
	if err := b.RunLast(ctx); err != nil {
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

// registerEntry is what the register has of a version beside what all reads look at.
type registerEntry struct {
	versionName
	previous    bool
	rate        *float64
	throttle    *int64
	quarantined int64
}

// inputEnd is where the input of a version ends, and when the first item that it has not folded yet was received.
type inputEnd struct {
	head         int64
	waitingSince *time.Time
}

func queryInputEnd(b *engine.Batch, v *register.Version) *engine.Result[inputEnd] {
	columns := func(e *inputEnd) []any { return []any{&e.head, &e.waitingSince} }
	if v.Input == "log" {
		return engine.Query(b, columns, `
			SELECT ARRAY[]::bigint[], size, (SELECT received_at FROM log.event WHERE seq = $1::bigint + 1) FROM log.head`, v.Position)
	}
	steps := pgx.Identifier{v.Input, "step"}.Sanitize()
	return engine.Query(b, columns, `
		SELECT ARRAY[]::bigint[], coalesce((SELECT max(step) FROM `+steps+`), 0),
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

// expectedRate is how many items a second a version may be expected to fold; 0 when that is not known.
func (e registerEntry) expectedRate() (rate float64) {
	if e.rate != nil {
		rate = *e.rate
	}
	if e.throttle != nil && (rate == 0 || rate > float64(*e.throttle)) {
		rate = float64(*e.throttle)
	}
	return rate
}
