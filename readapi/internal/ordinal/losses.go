package ordinal

import (
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
		SELECT ARRAY[]::bigint[], (
			SELECT count(*) FROM strata.quarantine q JOIN strata.active USING (name, version)
			WHERE q.name = ANY ($1) AND (
				q.pointer !~ '^/apply/[0-9]+/(transactions|timestamp|metadata)' OR EXISTS (SELECT FROM {ordinals}.block ob WHERE `+inApplied+`))
		), (SELECT count(*) FROM {ordinals}.anomaly)`, projections)
}

// LacksSQL returns the condition that an applied block of the feed has a part about one of some subjects, an array of the terms of
// package domain/ordinals, that could not be read. An operation that uses it depends on Feed.
func LacksSQL(subjects string) string {
	return `EXISTS (
		SELECT FROM strata.quarantine q JOIN {ordinals}.block ob ON ` + inApplied + `
		WHERE q.subjects && ` + subjects + ` AND q.name = 'ordinals' AND q.version = (SELECT version FROM strata.active WHERE name = 'ordinals'))`
}

// OrNil returns a pointer to n; nil for 0.
func OrNil(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
