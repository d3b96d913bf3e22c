package readapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/pox"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const (
	poxEventsLimit = 96
	// stackerEventsLimit is how many events of a stacker are shown at once: the reference shows all.
	stackerEventsLimit = 1000
	// transactionEventsMost is how many stacking events of a transaction are shown.
	transactionEventsMost = 4096
)

// Versions of the stacking contract whose events are listed.
const (
	firstPoxListed = 2
	lastPoxListed  = 4
)

type poxEventsInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"96" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	NumberCursor
}

type poxStackerEventsInput struct {
	Principal principalParameter `path:"principal"`
	Limit     int                `query:"limit" minimum:"0" maximum:"1000" default:"1000" doc:"Rows of a page; 0 means the default."`
	Offset    int64              `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	NumberCursor
}

// PoxTransactionInput names a transaction.
type PoxTransactionInput struct {
	ID hashParameter `path:"tx_id" doc:"The id of a transaction."`
}

// stackingEvent is what a stacking contract reported.
type stackingEvent struct {
	BlockHeight           int64        `json:"block_height"`
	TxID                  hash.Hash32  `json:"tx_id"`
	TxIndex               int32        `json:"tx_index"`
	EventIndex            int32        `json:"event_index"`
	Stacker               string       `json:"stacker" doc:"Of an aggregation, the pool."`
	Locked                amount       `json:"locked" doc:"µSTX after it"`
	Balance               amount       `json:"balance" doc:"µSTX that the stacker can spend after it"`
	BurnchainUnlockHeight amount       `json:"burnchain_unlock_height"`
	PoxAddr               *string      `json:"pox_addr" doc:"The Bitcoin address to be paid; null for none."`
	PoxAddrRaw            *hexText     `json:"pox_addr_raw" doc:"Its version and hash."`
	Name                  string       `json:"name" example:"stack-stx"`
	Data                  stackingData `json:"data" doc:"What else the event says, by its name. Numbers are decimal texts."`

	at     rowKey
	number int64 // among those of the contract
}

// stackingData is a JSON object.
type stackingData json.RawMessage

// Schema implements huma.SchemaProvider.
func (stackingData) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (d stackingData) MarshalJSON() ([]byte, error) { return json.RawMessage(d).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (d *stackingData) UnmarshalJSON(text []byte) error {
	*d = append((*d)[:0], text...)
	return nil
}

// stackingEvents are those of a transaction.
type stackingEvents struct {
	Results []stackingEvent `json:"results" nullable:"false"`
}

// stackingRow is such an event as the tables have it.
type stackingRow struct {
	stackingEvent
	place int64 // in the list
	value []byte
}

func stackingColumns(r *stackingRow) []any {
	return []any{&r.place, &r.number, &r.BlockHeight, &r.TxID, &r.at.seq, &r.TxIndex, &r.EventIndex, &r.value}
}

// shape reads the value that was printed.
func (r *stackingRow) shape(network bitcoin.Network) (stackingEvent, error) {
	shown := r.stackingEvent
	shown.at.index = r.TxIndex
	value, err := clarity.DecodeAll(r.value)
	if err != nil {
		return shown, fmt.Errorf("event %d of transaction %s: %w", r.EventIndex, r.TxID, err)
	}
	event, _, err := pox.Decode(value)
	if err != nil {
		return shown, fmt.Errorf("event %d of transaction %s: %w", r.EventIndex, r.TxID, err)
	}
	text, err := event.JSON(network)
	if err == nil {
		err = json.Unmarshal(text, &shown)
	}
	if err != nil {
		return shown, fmt.Errorf("event %d of transaction %s: %w", r.EventIndex, r.TxID, err)
	}
	return shown, nil
}

// poxList is a list of events of a contract, which is numbered.
type poxList struct {
	version int
	number  string // column
	rows    string // condition
	args    []any
}

func eventsOfContract(version int) poxList {
	return poxList{version: version, number: "n", rows: `x.contract = $1`, args: []any{version}}
}

func eventsOfStacker(version int, stacker string) poxList {
	return poxList{version: version, number: "stacker_n", rows: `x.contract = $1 AND x.stacker = $2`, args: []any{version, stacker}}
}

// read reads a page, in one round trip.
func (l poxList) read(ctx context.Context, s *snapshot, p *asked, network bitcoin.Network) (*numberedPage[stackingEvent], error) {
	if s.active("pox") == nil {
		return newNumberedPage[stackingEvent](p, pageHead{}), nil
	}
	names := strings.NewReplacer("{number}", "x."+l.number, "{rows}", l.rows)
	last := names.Replace(`coalesce((SELECT {number} FROM {pox}.event x WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)`)
	number, offset, limit := argument(len(l.args)+1), argument(len(l.args)+2), argument(len(l.args)+3)
	b := s.batch()
	total := query(b, numberColumn, `SELECT ARRAY[]::bigint[], `+last, l.args...)
	found := query(b, stackingColumns, names.Replace(`
		SELECT ARRAY[r.source_seq], r.place, `+stackingSQL+`
		FROM (SELECT least(`+last+`, `+number+`) - `+offset+` AS start) page
		CROSS JOIN LATERAL (
			SELECT {number} AS place, x.* FROM {pox}.event x
			WHERE {rows} AND {number} <= page.start AND {number} > page.start - `+limit+` ORDER BY {number} DESC LIMIT `+limit+`
		) r `+stackingPrint+` ORDER BY r.place DESC`), append(l.args[:len(l.args):len(l.args)], p.number, min(p.offset, offsetMost), int64(p.limit))...)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	n, _ := total.first()
	page := newNumberedPage[stackingEvent](p, headOf(p, n))
	for i := range found.rows {
		event, err := found.rows[i].shape(network)
		if err != nil {
			return nil, err
		}
		page.Results = append(page.Results, event)
	}
	return page, nil
}

// stackingSQL selects what stackingColumns reads, but for the place, of the event r and its print e.
const stackingSQL = `r.n, r.height, r.txid, r.source_seq, r.tx_index, r.event_index, e.value`

const stackingPrint = `
	CROSS JOIN LATERAL (
		SELECT e.value FROM {chain}.event e WHERE e.source_seq = r.source_seq AND e.tx_index = r.tx_index AND e.event_index = r.event_index LIMIT 1
	) e`

func (a *API) registerPoxEvents() {
	for version := firstPoxListed; version <= lastPoxListed; version++ {
		a.registerPoxEventsOf(version)
	}
}

// registerPoxEventsOf adds the reads of a version of the contract. What is read of chain, the prints, never changes.
func (a *API) registerPoxEventsOf(version int) {
	name := "pox" + strconv.Itoa(version)
	prefix, of := "/extended/v1/"+name, on("pox", shard.StackingEvents(version)).and("chain", shard.StackingEvents(version))
	get(a.Engine, resource{
		id: "list-" + name + "-events", path: prefix + "/events", tag: "Stacking", summary: "What the contract pox-" + strconv.Itoa(version) + " reported, newest first",
		about:    "`next_cursor` leads to newer events and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest}, class: answer.Tip, of: of, taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *poxEventsInput) (*numberedPage[stackingEvent], error) {
		p := &asked{offset: in.Offset, limit: orDefault(in.Limit, poxEventsLimit), number: in.number()}
		return eventsOfContract(version).read(ctx, s, p, a.bitcoinNetwork())
	})
	get(a.Engine, resource{
		id: "list-" + name + "-events-of-transaction", path: prefix + "/tx/{tx_id}", tag: "Stacking", summary: "What the contract reported of a transaction, the last first",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("chain").and("pox", shard.StackingEvents(version)), taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *PoxTransactionInput) (*stackingEvents, error) {
		return a.poxEventsOfTransaction(ctx, s, version, in)
	})
	get(a.Engine, resource{
		id: "list-" + name + "-events-of-stacker", path: prefix + "/stacker/{principal}", tag: "Stacking", summary: "What the contract reported of a stacker, newest first",
		about:    "Of a pool: what it aggregated. `next_cursor` leads to newer events and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: of, taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *poxStackerEventsInput) (*numberedPage[stackingEvent], error) {
		stacker, err := in.Principal.account()
		if err != nil {
			return nil, err
		}
		p := &asked{offset: in.Offset, limit: orDefault(in.Limit, stackerEventsLimit), number: in.number()}
		page, err := eventsOfStacker(version, stacker).read(ctx, s, p, a.bitcoinNetwork())
		if err == nil && page.Total == 0 {
			err = notFound("could not find principal")
		}
		if err != nil {
			return nil, err
		}
		return page, nil
	})
	a.registerDelegations(version)
	pages := func(page *numberedPage[stackingEvent]) []lookup {
		if page == nil {
			return nil
		}
		return stackingLookups(version, page.Results)
	}
	traced(a.Engine, "list-"+name+"-events", func(_ context.Context, _ *snapshot, _ *poxEventsInput, page *numberedPage[stackingEvent]) ([]lookup, error) {
		return pages(page), nil
	})
	traced(a.Engine, "list-"+name+"-events-of-stacker", func(_ context.Context, _ *snapshot, _ *poxStackerEventsInput, page *numberedPage[stackingEvent]) ([]lookup, error) {
		return pages(page), nil
	})
	traced(a.Engine, "list-"+name+"-events-of-transaction", func(_ context.Context, _ *snapshot, _ *PoxTransactionInput, events *stackingEvents) ([]lookup, error) {
		if events == nil {
			return nil, nil
		}
		return stackingLookups(version, events.Results), nil
	})
	// Names that clients had before. The reference leads only those of pox4 elsewhere.
	a.plain("GET "+prefix+"_events/", name+"-moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(exchangeOf(r.Context()).target, name+"_events", name, 1), http.StatusFound)
	})
}

// poxEventsOfTransaction reads what a contract reported of a transaction that is known.
func (a *API) poxEventsOfTransaction(ctx context.Context, s *snapshot, version int, in *PoxTransactionInput) (*stackingEvents, error) {
	missing := notFound("could not find transaction by ID")
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	if s.active("chain") == nil || s.active("pox") == nil {
		return nil, missing
	}
	b := s.batch()
	known := query(b, numberColumn, `
		SELECT ARRAY[]::bigint[], t.source_seq FROM {chain}.transaction t JOIN {chain}.canonical c ON c.block_seq = t.source_seq WHERE t.txid = $1 LIMIT 1`, id)
	found := query(b, stackingColumns, `
		SELECT ARRAY[r.source_seq], r.n, `+stackingSQL+`
		FROM (SELECT * FROM {pox}.event WHERE txid = $1 AND contract = $2 ORDER BY n DESC LIMIT $3) r `+stackingPrint+` ORDER BY r.n DESC`,
		id, version, transactionEventsMost)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if len(known.rows) == 0 {
		return nil, missing
	}
	events := &stackingEvents{Results: []stackingEvent{}}
	for i := range found.rows {
		event, err := found.rows[i].shape(a.bitcoinNetwork())
		if err != nil {
			return nil, err
		}
		events.Results = append(events.Results, event)
	}
	return events, nil
}

var tracedStackingEvent = &tracedTable{
	projection: "pox", name: "event", key: "contract n", values: "stacker stacker_n height txid:hex tx_index event_index",
	sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
}

func stackingLookups(version int, events []stackingEvent) []lookup {
	if len(events) == 0 {
		return nil
	}
	numbers := make([]int64, len(events))
	seqs, transactions, indexes := make([]int64, len(events)), make([]int32, len(events)), make([]int32, len(events))
	for i := range events {
		numbers[i] = events[i].number
		seqs[i], transactions[i], indexes[i] = events[i].at.seq, events[i].at.index, events[i].EventIndex
	}
	return []lookup{
		{name: "event", table: tracedStackingEvent, where: `t.contract = $1 AND t.n = ANY ($2::bigint[])`, args: []any{version, numbers}, newestFirst: []string{"t.n"}},
		{
			name: "print", table: tracedChainEvent, order: `t.source_seq DESC, t.tx_index DESC, t.event_index DESC`,
			where: `(t.source_seq, t.tx_index, t.event_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[]))`, args: []any{seqs, transactions, indexes},
		},
	}
}
