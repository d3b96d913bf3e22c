package names

import (
	"time"

	"strata/domain/fetch"
)

// bnsV1MissingZonefile is the gap where a zonefile should be: the chain has its hash, and no node has posted it.
type bnsV1MissingZonefile struct {
	Error    string    `json:"error" doc:"Why it is missing."`
	Attempts int32     `json:"attempts" doc:"How often nodes were asked for it and did not have it."`
	NextAt   time.Time `json:"next_attempt_at" doc:"When a node is asked for it, again or for the first time."`
}

// missingRow is a row of the table want, in columns that are null for a zonefile that is not missing.
type missingRow struct {
	attempts, waits *int32
	reason          *int16
	due             *time.Time
}

func (r *missingRow) columns() []any { return []any{&r.attempts, &r.waits, &r.reason, &r.due} }

// shape returns the gap; nil if there is none.
func (r *missingRow) shape() *bnsV1MissingZonefile {
	if r.due == nil {
		return nil
	}
	missing := &bnsV1MissingZonefile{Error: "The zonefile has not come yet", Attempts: *r.attempts, NextAt: r.due.UTC()}
	if *r.attempts+*r.waits > 0 {
		missing.Error = fetch.Reason(*r.reason).Message()
	}
	return missing
}
