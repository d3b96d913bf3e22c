package token

import (
	"fmt"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// contractRest tells that a contract had caused as much to be fetched in a day as it may. What it had spent is not known to a
// replica that has the tables and not the log.
type contractRest struct {
	Since   schema.TimeText `json:"since,omitempty" doc:"When the budget of the day was used up."`
	Until   schema.TimeText `json:"until" doc:"Nothing is fetched for the contract before, unless a person asks. A time that has passed: the rest is over."`
	Fetches *budgetState    `json:"fetches,omitempty" doc:"Fetch attempts."`
	Bytes   *budgetState    `json:"bytes,omitempty" doc:"Bytes that their reports added to the log."`
	Seq     int64           `json:"seq"`
	Event   string          `json:"event" format:"uri-reference"`
}

// budgetState is what a contract had spent of its budget of a day (UTC) when it began to rest.
type budgetState struct {
	Spent int64 `json:"spent" minimum:"0" doc:"In that day (UTC), when the rest began."`
	Limit int64 `json:"limit" minimum:"0" doc:"What the contract could spend in a day. It rests once it has spent as much."`
}

type restRow struct {
	sourceSeq int64
	until     time.Time
	body      []byte // of the event; nil where the log is not
}

// queryRest adds a query for the last rest of a contract. The projections of all kinds know it, whichever kind the contract is.
func queryRest(b *engine.Batch, kind token.Kind, ref tokenRef) *engine.Result[restRow] {
	return engine.Query(b, func(r *restRow) []any { return []any{&r.sourceSeq, &r.until, &r.body} }, restSQL[kind], ref.contract)
}

var restSQL = queryByKind(`
	SELECT ARRAY[r.source_seq], r.source_seq, r.until, h.body
	FROM {projection}.rest r
	LEFT JOIN log.event e ON e.seq = r.source_seq
	LEFT JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq)
	WHERE r.contract_id = $1`)

func (r *restRow) shape() (*contractRest, error) {
	rest := &contractRest{Until: schema.NewTimeText(r.until), Seq: r.sourceSeq, Event: engine.EventLink(r.sourceSeq)}
	if r.body == nil {
		return rest, nil
	}
	said, err := fetch.DecodeRest(r.body)
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", r.sourceSeq, err)
	}
	rest.Since = schema.NewTimeText(said.DecidedAt)
	rest.Fetches = &budgetState{said.Fetches, said.FetchesMost}
	rest.Bytes = &budgetState{said.Bytes, said.BytesMost}
	return rest, nil
}

func restLookup(kind token.Kind, ref tokenRef) engine.Lookup {
	return engine.Lookup{
		Name: string(kind) + " rest", Table: tracedTokens[kind].rest, Where: `t.contract_id = $1`, Args: []any{ref.contract}, Order: `t.contract_id`,
	}
}
