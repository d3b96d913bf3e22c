package stacking

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/bitcoin"
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
	poxEventsLimit = 96
	// stackerEventsLimit is the maximum number of events of a stacker in a page. stacks-blockchain-api returns all of
	// them.
	stackerEventsLimit = 1000
	// transactionEventsMax is the maximum number of stacking events of a transaction in an answer.
	transactionEventsMax = 4096
)

// The first and the last version of the stacking contract whose events are listed.
const (
	firstPoxListed = 2
	lastPoxListed  = 4
)

// stackingEvent is an event that a stacking contract printed.
type stackingEvent struct {
	BlockHeight           int64         `json:"block_height"`
	TxID                  hash.Hash32   `json:"tx_id"`
	TxIndex               int32         `json:"tx_index"`
	EventIndex            int32         `json:"event_index"`
	Stacker               string        `json:"stacker" doc:"The stacker; for an aggregation, the pool."`
	Locked                schema.Amount `json:"locked" doc:"Locked µSTX after the event."`
	Balance               schema.Amount `json:"balance" doc:"µSTX that the stacker can spend after the event."`
	BurnchainUnlockHeight schema.Amount `json:"burnchain_unlock_height"`
	PoxAddr               *string       `json:"pox_addr" doc:"The Bitcoin address that receives the rewards; null for none."`
	PoxAddrRaw            *view.HexText `json:"pox_addr_raw" nullable:"true" doc:"Version and hash of that address."`
	Name                  string        `json:"name" example:"stack-stx"`
	Data                  schema.Object `json:"data" doc:"Further fields of the event; they depend on its name. Numbers are decimal strings."`
}

// stackingEvents is the list of the stacking events of a transaction.
type stackingEvents struct {
	Results []stackingEvent `json:"results" nullable:"false"`
}

// stackingRow is a stacking event as the tables store it.
type stackingRow struct {
	stackingEvent
	value []byte // the printed Clarity value
}

func stackingColumns(r *stackingRow) []any {
	return []any{&r.BlockHeight, &r.TxID, &r.TxIndex, &r.EventIndex, &r.value}
}

// shape returns the event with the fields of its printed value.
func (r *stackingRow) shape(network bitcoin.Network) (stackingEvent, error) {
	body := r.stackingEvent
	value, err := clarity.DecodeAll(r.value)
	if err != nil {
		return body, fmt.Errorf("event %d of transaction %s: %w", r.EventIndex, r.TxID, err)
	}
	event, _, err := pox.Decode(value)
	if err != nil {
		return body, fmt.Errorf("event %d of transaction %s: %w", r.EventIndex, r.TxID, err)
	}
	text, err := event.JSON(network)
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		return body, fmt.Errorf("event %d of transaction %s: %w", r.EventIndex, r.TxID, err)
	}
	return body, nil
}

// poxList is a numbered list of events of a contract.
type poxList struct {
	number string // column of the numbers, which count from 1
	rows   string // condition on event x
	args   []any  // arguments of the condition
}

func eventsOfContract(version int) poxList {
	return poxList{number: "n", rows: `x.contract = $1`, args: []any{version}}
}

func eventsOfStacker(version int, stacker string) poxList {
	return poxList{number: "stacker_n", rows: `x.contract = $1 AND x.stacker = $2`, args: []any{version, stacker}}
}

// read reads a page of the list in one round trip.
func (l poxList) read(ctx context.Context, s *engine.Snapshot, p *page.Request, network bitcoin.Network) (*page.NumberedPage[stackingEvent], error) {
	if s.Active("pox") == nil {
		return page.NewNumberedPage[stackingEvent](p, page.Head{}), nil
	}
	names := strings.NewReplacer("{number}", "x."+l.number, "{rows}", l.rows)
	last := names.Replace(`coalesce((SELECT {number} FROM {pox}.event x WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)`)
	number, offset, limit := page.Argument(len(l.args)+1), page.Argument(len(l.args)+2), page.Argument(len(l.args)+3)
	b := s.Batch()
	total := engine.Query(b, page.NumberColumn, `SELECT {}, `+last, l.args...)
	rows := engine.Query(b, stackingColumns, names.Replace(`
		SELECT `+stackingSQL+`
		FROM (SELECT least(`+last+`, `+number+`) - `+offset+` AS start) page
		CROSS JOIN LATERAL (
			SELECT {number} AS place, x.* FROM {pox}.event x
			WHERE {rows} AND {number} <= page.start AND {number} > page.start - `+limit+` ORDER BY {number} DESC LIMIT `+limit+`
		) r `+stackingPrint+` ORDER BY r.place DESC`), append(l.args[:len(l.args):len(l.args)], p.Number, min(p.Offset, page.OffsetMax), int64(p.Limit))...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n, _ := total.First()
	page := page.NewNumberedPage[stackingEvent](p, headOf(p, n))
	for i := range rows.Rows {
		event, err := rows.Rows[i].shape(network)
		if err != nil {
			return nil, err
		}
		page.Results = append(page.Results, event)
	}
	return page, nil
}

// stackingSQL selects what stackingColumns reads from the event r and its print e.
const stackingSQL = `{pox.event r, chain.event r}, r.height, r.txid, r.tx_index, r.event_index, e.value`

// stackingPrint joins the print e of an event r.
const stackingPrint = `
	CROSS JOIN LATERAL (
		SELECT e.value FROM {chain}.event e WHERE e.source_seq = r.source_seq AND e.tx_index = r.tx_index AND e.event_index = r.event_index LIMIT 1
	) e`

func (a *api) registerPoxEvents() {
	for version := firstPoxListed; version <= lastPoxListed; version++ {
		a.registerPoxEventsOf(version)
	}
}

// registerPoxEventsOf adds the operations on a version of the contract. Their answers also read the prints of the
// projection chain, which never change; so they depend on the stacking events alone.
func (a *api) registerPoxEventsOf(version int) {
	name := "pox" + strconv.Itoa(version)
	prefix, dependencies := "/extended/v1/"+name, engine.On("pox", shard.StackingEvents(version)).And("chain", shard.StackingEvents(version))
	engine.Get(a.Engine, engine.Operation{
		ID: "list-" + name + "-events", Path: prefix + "/events", Tag: "Stacking", Summary: "Events of the contract pox-" + strconv.Itoa(version) + ", newest first",
		Description: "`next_cursor` leads to newer events and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest}, Dependencies: dependencies,
	}, func(ctx context.Context, s *engine.Snapshot, in *page.PoxEventsInput) (*page.NumberedPage[stackingEvent], error) {
		p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, poxEventsLimit), Number: in.Number()}
		return eventsOfContract(version).read(ctx, s, p, a.bitcoinNetwork())
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "list-" + name + "-events-of-transaction", Path: prefix + "/tx/{tx_id}", Tag: "Stacking", Summary: "Events of the contract in a transaction, the last first",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Dependencies: engine.OnTip("chain").And("pox", shard.StackingEvents(version)),
	}, func(ctx context.Context, s *engine.Snapshot, in *page.PoxTransactionInput) (*stackingEvents, error) {
		return a.poxEventsOfTransaction(ctx, s, version, in)
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "list-" + name + "-events-of-stacker", Path: prefix + "/stacker/{principal}", Tag: "Stacking", Summary: "Events of the contract about a stacker, newest first",
		Description: "For a pool, these are its aggregations. `next_cursor` leads to newer events and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest}, Dependencies: dependencies,
	}, func(ctx context.Context, s *engine.Snapshot, in *page.PoxStackerEventsInput) (*page.NumberedPage[stackingEvent], error) {
		stacker, err := in.Principal.Account()
		if err != nil {
			return nil, err
		}
		p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, stackerEventsLimit), Number: in.Number()}
		return eventsOfStacker(version, stacker).read(ctx, s, p, a.bitcoinNetwork())
	})
	a.registerDelegations(version)
	a.Untraceable("it leads to "+prefix, name+"-moved")
	// Redirect the former names of these paths. stacks-blockchain-api redirects only those of pox4.
	a.Plain("GET "+prefix+"_events/", name+"-moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(engine.ExchangeOf(r.Context()).Target, name+"_events", name, 1), http.StatusFound)
	})
}

// poxEventsOfTransaction reads the events of a contract in a canonical transaction.
func (a *api) poxEventsOfTransaction(ctx context.Context, s *engine.Snapshot, version int, in *page.PoxTransactionInput) (*stackingEvents, error) {
	missing := engine.NotFound("could not find transaction by ID")
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	if s.Active("chain") == nil || s.Active("pox") == nil {
		return nil, missing
	}
	b := s.Batch()
	known := engine.Query(b, page.NumberColumn, `
		SELECT {}, t.source_seq FROM {chain}.transaction t JOIN {chain}.canonical c ON c.block_seq = t.source_seq WHERE t.txid = $1 LIMIT 1`, id)
	rows := engine.Query(b, stackingColumns, `
		SELECT `+stackingSQL+`
		FROM (SELECT * FROM {pox}.event WHERE txid = $1 AND contract = $2 ORDER BY n DESC LIMIT $3) r `+stackingPrint+` ORDER BY r.n DESC`,
		id, version, transactionEventsMax)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(known.Rows) == 0 {
		return nil, missing
	}
	events := &stackingEvents{Results: []stackingEvent{}}
	for i := range rows.Rows {
		event, err := rows.Rows[i].shape(a.bitcoinNetwork())
		if err != nil {
			return nil, err
		}
		events.Results = append(events.Results, event)
	}
	return events, nil
}

var tracedStackingEvent = &engine.TraceTable{
	Projection: "pox", Name: "event", Key: "contract n", NewestFirst: []string{"t.n"}, Values: "stacker stacker_n height txid:hex tx_index event_index",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}
