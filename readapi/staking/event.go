package staking

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/pox"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

const (
	poxVersion  = 5
	eventsLimit = 96
	// stakerEventsLimit is the maximum number of events of a principal in a page.
	stakerEventsLimit = 1000
	// transactionEventsMax is the maximum number of events of a transaction in an answer.
	transactionEventsMax = 4096
)

// contractEvent is an event of pox-5, in the shape of the events of pox-2 to pox-4. The contract prints neither balances nor
// reward addresses.
type contractEvent struct {
	BlockHeight           int64          `json:"block_height"`
	TxID                  hash.Hash32    `json:"tx_id"`
	TxIndex               int32          `json:"tx_index"`
	EventIndex            int32          `json:"event_index"`
	Stacker               *string        `json:"stacker" doc:"The staker; for an event about none, the signer manager; null for an event about neither."`
	Locked                *schema.Amount `json:"locked" nullable:"true" doc:"µSTX that are locked after the event; null for an event that locks nothing."`
	Balance               *schema.Amount `json:"balance" nullable:"true" doc:"Always null: pox-5 does not print it."`
	BurnchainUnlockHeight *schema.Amount `json:"burnchain_unlock_height" nullable:"true" doc:"null for an event that does not say it."`
	PoxAddr               *string        `json:"pox_addr" doc:"Always null: pox-5 has no reward addresses."`
	PoxAddrRaw            *view.HexText  `json:"pox_addr_raw" nullable:"true" doc:"Always null."`
	Name                  string         `json:"name" example:"stake" doc:"The topic that the contract prints; empty for a print without one."`
	Data                  schema.Object  `json:"data" doc:"The fields of the print. Numbers are decimal strings. A print with an unknown topic or form has only raw_value, in hex, and repr."`
}

// TransformSchema implements huma.SchemaTransformer.
func (*contractEvent) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "locked", "balance", "burnchain_unlock_height", "pox_addr_raw")
}

type contractEvents struct {
	Results []contractEvent `json:"results" nullable:"false"`
}

// contractEventRow is an event of pox-5 as the tables store it.
type contractEventRow struct {
	contractEvent
	decoded bool
	print   []byte
}

func contractEventColumns(r *contractEventRow) []any {
	return []any{&r.BlockHeight, &r.TxID, &r.TxIndex, &r.EventIndex, &r.decoded, &r.Name, &r.Stacker, &r.print}
}

// contractEventSQL selects what contractEventColumns reads from the event r and its print p.
const contractEventSQL = `{staking.event r}, r.height, r.txid, r.tx_index, r.event_index, r.decoded, r.topic, r.subject, p.value`

// contractPrint joins the print p of an event r.
const contractPrint = `
	CROSS JOIN LATERAL (
		SELECT p.value FROM {chain}.event p WHERE p.source_seq = r.source_seq AND p.tx_index = r.tx_index AND p.event_index = r.event_index LIMIT 1
	) p`

type undecoded struct {
	RawValue string `json:"raw_value"`
	Repr     string `json:"repr"`
}

// shape returns the event with the fields of its print.
func (r *contractEventRow) shape() (body contractEvent, err error) {
	body = r.contractEvent
	value, err := clarity.DecodeAll(r.print)
	if err != nil {
		return body, err
	}
	if !r.decoded {
		body.Data, err = newObject(undecoded{value.Hex(), value.Repr()})
		return body, err
	}
	decoded, err := pox.DecodePrint(value)
	if err != nil {
		return body, err
	}
	text, err := json.Marshal(decoded)
	if err != nil {
		return body, err
	}
	var shown struct{ Data json.RawMessage }
	if err := json.Unmarshal(text, &shown); err != nil {
		return body, err
	}
	body.Data = schema.Object(shown.Data)
	p := printed{decoded}
	if _, ok := p.Uint("amount-ustx"); ok {
		locked := p.amount("amount-ustx")
		body.Locked = &locked
	}
	if _, ok := p.Uint("unlock-burn-height"); ok {
		height := p.amount("unlock-burn-height")
		body.BurnchainUnlockHeight = &height
	}
	return body, nil
}

// eventList is a numbered list of events.
type eventList struct {
	number string // column of the numbers, which count from 1
	rows   string // condition on event x
	args   []any
}

// read reads a page of the list in one round trip.
func (l eventList) read(ctx context.Context, s *engine.Snapshot, p *page.Request) (*page.NumberedPage[contractEvent], error) {
	if s.Active("staking") == nil || s.Active("chain") == nil {
		return page.NewNumberedPage[contractEvent](p, page.Head{}), nil
	}
	last := `coalesce((SELECT x.` + l.number + ` FROM {staking}.event x WHERE ` + l.rows + ` ORDER BY x.` + l.number + ` DESC LIMIT 1), 0)`
	from, offset, limit := page.Argument(len(l.args)+1), page.Argument(len(l.args)+2), page.Argument(len(l.args)+3)
	b := s.Batch()
	total := queueCount(b, last, l.args...)
	rows := engine.Query(b, contractEventColumns, `
		SELECT `+contractEventSQL+`
		FROM (SELECT least(`+last+`, `+from+`) - `+offset+` AS start) page
		CROSS JOIN LATERAL (
			SELECT x.`+l.number+` AS place, x.* FROM {staking}.event x
			WHERE `+l.rows+` AND x.`+l.number+` <= page.start AND x.`+l.number+` > page.start - `+limit+` ORDER BY x.`+l.number+` DESC LIMIT `+limit+`
		) r `+contractPrint+` ORDER BY r.place DESC`, append(l.args[:len(l.args):len(l.args)], p.Number, min(p.Offset, page.OffsetMax), int64(p.Limit))...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n := total()
	head := page.Head{High: n, Start: n - min(p.Offset, page.OffsetMax)}
	if p.Number != nil {
		head.Start = min(n, *p.Number) - min(p.Offset, page.OffsetMax)
	}
	body := page.NewNumberedPage[contractEvent](p, head)
	return body, appendEvents(&body.Results, rows.Rows)
}

// appendEvents appends events to a body.
func appendEvents(results *[]contractEvent, rows []contractEventRow) error {
	for i := range rows {
		event, err := rows[i].shape()
		if err != nil {
			return err
		}
		*results = append(*results, event)
	}
	return nil
}

func (a *api) registerEvents() {
	const path, newer = "/extended/v1/pox5", " The newer form of these events is `/extended/v3/staking/bonds/{bond_index}/events`."
	events := engine.On("staking", shard.StackingEvents(poxVersion)).And("chain", shard.StackingEvents(poxVersion))
	engine.Get(a.Engine, engine.Operation{
		ID: "list-pox5-events", Path: path + "/events", Tag: "Stacking", Summary: "Events of the contract pox-5, newest first",
		Description: "`next_cursor` leads to newer events and `prev_cursor` to older ones." + newer,
		Statuses:    []int{http.StatusBadRequest}, Dependencies: events,
	}, func(ctx context.Context, s *engine.Snapshot, in *page.PoxEventsInput) (*page.NumberedPage[contractEvent], error) {
		p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, eventsLimit), Number: in.Number()}
		return eventList{number: "n", rows: "true"}.read(ctx, s, p)
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "list-pox5-events-of-transaction", Path: path + "/tx/{tx_id}", Tag: "Stacking", Summary: "Events of the contract pox-5 in a transaction, the last first",
		Statuses:     []int{http.StatusBadRequest, http.StatusNotFound},
		Dependencies: engine.OnTip("chain").And("staking", shard.StackingEvents(poxVersion)),
	}, listTransactionEvents)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-pox5-events-of-stacker", Path: path + "/stacker/{principal}", Tag: "Stacking", Summary: "Events of the contract pox-5 about a staker or a signer manager, newest first",
		Description: "`next_cursor` leads to newer events and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest}, Dependencies: events,
	}, func(ctx context.Context, s *engine.Snapshot, in *page.PoxStackerEventsInput) (*page.NumberedPage[contractEvent], error) {
		subject, err := in.Principal.Account()
		if err != nil {
			return nil, err
		}
		p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, stakerEventsLimit), Number: in.Number()}
		return eventList{number: "subject_n", rows: "x.subject = $1", args: []any{subject}}.read(ctx, s, p)
	})
}

// listTransactionEvents reads the events of a canonical transaction.
func listTransactionEvents(ctx context.Context, s *engine.Snapshot, in *page.PoxTransactionInput) (*contractEvents, error) {
	missing := engine.NotFound("could not find transaction by ID")
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	if s.Active("chain") == nil || s.Active("staking") == nil {
		return nil, missing
	}
	b := s.Batch()
	known := engine.Query(b, page.NumberColumn, `
		SELECT {}, t.source_seq FROM {chain}.transaction t JOIN {chain}.canonical c ON c.block_seq = t.source_seq WHERE t.txid = $1 LIMIT 1`, id)
	rows := engine.Query(b, contractEventColumns, `
		SELECT `+contractEventSQL+`
		FROM (SELECT * FROM {staking}.event WHERE txid = $1 ORDER BY n DESC LIMIT $2) r `+contractPrint+` ORDER BY r.n DESC`, id, transactionEventsMax)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(known.Rows) == 0 {
		return nil, missing
	}
	body := &contractEvents{Results: []contractEvent{}}
	return body, appendEvents(&body.Results, rows.Rows)
}
