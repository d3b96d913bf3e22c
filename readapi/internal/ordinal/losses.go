package ordinal

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"strata/readapi/internal/engine"
)

// Feed is the projection that decides which blocks of the ordinals feed count.
const Feed = "ordinals"

// Losses says what answers lack, or may lack, of the ordinals feed.
type Losses struct {
	// Quarantined is the number of events and parts of events whose effects are missing, because they could not be read. A part
	// of a block counts as long as the block is applied.
	Quarantined int64
	// Anomalies is the number of faults of the feed so far, such as a repeated block that says something else.
	Anomalies int64
}

// inApplied is the condition that a part q of an event is in an applied block ob of the feed. Parts that have no block, such as a
// rollback, are in none.
const inApplied = `ob.source_seq = q.seq AND starts_with(q.pointer, '/apply/' || ob.block_index || '/')`

// QueryLosses adds the query for the losses of some projections to a batch. An operation that runs it depends on Feed.
func QueryLosses(b *engine.Batch, projections ...string) *engine.Result[Losses] {
	return engine.Query(b, func(l *Losses) []any { return []any{&l.Quarantined, &l.Anomalies} }, `
		SELECT {}, (
			SELECT count(*) FROM strata.quarantine q JOIN strata.active USING (name, version)
			WHERE q.name = ANY ($1) AND (
				q.pointer !~ '^/apply/[0-9]+/(transactions|timestamp|metadata)' OR EXISTS (SELECT FROM {ordinals}.block ob WHERE `+inApplied+`))
		), (SELECT count(*) FROM {ordinals}.anomaly)`, projections)
}

// lossesSQL selects the parts of applied blocks of the feed about one of some subjects that could not be read.
func lossesSQL(columns, subjects string) string {
	return `
		SELECT ` + columns + ` FROM strata.quarantine q JOIN {ordinals}.block ob ON ` + inApplied + `
		WHERE q.subjects && (` + subjects + `) AND q.name = 'ordinals' AND q.version = (SELECT version FROM strata.active WHERE name = 'ordinals')`
}

// LacksSQL returns the condition that an applied block of the feed has a part about one of some subjects, an array of the terms of
// package domain/ordinals, that could not be read. Blocks above the height until don't count; empty for no bound. An operation that
// uses it depends on Feed.
func LacksSQL(subjects, until string) string {
	parts := lossesSQL("", subjects)
	if until != "" {
		parts += ` AND ob.height <= ` + until
	}
	// Nearly always there are none at all, which one look tells for all rows of an answer.
	return `(SELECT EXISTS (SELECT FROM strata.quarantine WHERE name = 'ordinals')) AND EXISTS (` + parts + `)`
}

// UnreadPart is a part of a block of the feed that could not be read.
type UnreadPart struct {
	BlockHeight int64  `json:"block_height"`
	Seq         int64  `json:"seq" doc:"The event with the block."`
	Pointer     string `json:"pointer" doc:"JSON pointer of the invalid field in the body of the event."`
	Reason      string `json:"reason"`
	Event       string `json:"event" format:"uri-reference"`
	Quarantine  string `json:"quarantine" format:"uri-reference" doc:"The list of what could not be read, from this part on."`
	version     int
}

// NotFound returns the error for something that is not in the tables. If an applied block of the feed has a part about it, a subject
// in the terms of package domain/ordinals, that could not be read, the error says so. An operation that returns it depends on Feed.
func NotFound(ctx context.Context, s *engine.Snapshot, subject string) error {
	b := s.Batch()
	// What would have made the thing known comes first.
	parts := engine.Query(b, func(p *UnreadPart) []any { return []any{&p.BlockHeight, &p.Seq, &p.Pointer, &p.Reason, &p.version} },
		lossesSQL(`ARRAY[q.seq], ob.height, q.seq, q.pointer, q.reason, q.version`, `ARRAY[$1::text]`)+`
		ORDER BY q.pointer ~ '/(inscription_revealed|deploy)(/|$)' DESC, ob.height, q.seq, q.pointer LIMIT 1`, subject)
	if err := b.Run(ctx); err != nil {
		return err
	}
	p, ok := parts.First()
	if !ok {
		return ErrOrdinalsNotFound
	}
	p.Event = fmt.Sprintf("/audit/v1/events/%d", p.Seq)
	p.Quarantine = "/audit/v1/quarantine?cursor=" + url.QueryEscape(fmt.Sprintf("%d:%s:%d:%s", p.Seq, Feed, p.version, p.Pointer))
	what := "an operation on it"
	switch {
	case strings.Contains(p.Pointer, "/inscription_revealed"):
		what = "its reveal"
	case strings.Contains(p.Pointer, "/deploy"):
		what = "its deploy"
	}
	return &ordinalsError{http.StatusNotFound, OrdinalsErrorBody{
		Error: ErrOrdinalsNotFound.Error(), Message: fmt.Sprintf("The feed had %s in the block at height %d, which could not be read.", what, p.BlockHeight), Unread: &p,
	}}
}

// OrNil returns a pointer to n; nil for 0.
func OrNil(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
