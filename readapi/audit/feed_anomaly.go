package audit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

type feedAnomaliesInput struct {
	Limit  int               `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Maximum number of rows of the page; 0 means the default."`
	Cursor feedAnomalyCursor `query:"cursor" pattern:"^[0-9]{1,18}:[^:]*:[\\s\\S]*$" doc:"seq:pointer:balance of the first row of the page."`
}

// feedAnomaly is a fault of the ordinals feed.
type feedAnomaly struct {
	Kind          string  `json:"kind" enum:"unknown_rollback,replaced,changed,negative_balance" doc:"unknown_rollback: the feed rolled back a block that was not applied, which changes nothing. replaced: it applied a block over another without a rollback, and the later one counts. changed: it repeated an applied block and said something else, which is ignored. negative_balance: a BRC-20 balance is below zero, so the feed lacks operations."`
	BlockHeight   int64   `json:"block_height"`
	BlockHash     *string `json:"block_hash" nullable:"true" pattern:"^0x[0-9a-f]{64}$" doc:"Null for a balance."`
	Ticker        *string `json:"ticker,omitempty" doc:"Of a balance."`
	Address       *string `json:"address,omitempty" doc:"Of a balance."`
	Available     *string `json:"available_balance,omitempty" doc:"Of a balance, in whole tokens."`
	Transferrable *string `json:"transferrable_balance,omitempty" doc:"Of a balance, in whole tokens."`
	Pointer       string  `json:"pointer" doc:"JSON pointer of the block, or of the operation that changed the balance last, in the body of the event."`
	SourceSeq     int64   `json:"source_seq"`
	Event         string  `json:"event" format:"uri-reference"`
}

func (a *api) registerFeedAnomalies() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-feed-anomalies", Path: "/audit/v1/feed-anomalies", Tag: "Audit", Summary: "List faults of the ordinals feed",
		Description: "In the order of the log. A fault of a block stays in the list; a balance leaves it when it is right. The feed corrects a block by rolling it back and applying it again. `/audit/v1/quarantine` has what could not be read.",
		Statuses:    []int{400},
	}, listFeedAnomalies)
}

// feedAnomalyCursor is seq:pointer:balance of the first row of a page; empty for the first page.
type feedAnomalyCursor string

func (c feedAnomalyCursor) parse() (seq int64, pointer, balance string, err error) {
	if c == "" {
		return 0, "", "", nil
	}
	parts := strings.SplitN(string(c), ":", 3)
	if len(parts) == 3 {
		if seq, err = strconv.ParseInt(parts[0], 10, 64); err == nil {
			return seq, parts[1], parts[2], nil
		}
	}
	return 0, "", "", engine.BadRequest("invalid cursor %q", string(c))
}

// balanceRules are the first rules of brc20 whose tables name the balances below zero.
const balanceRules = 3

const (
	faultsOfBlocks = `
		SELECT {ordinals.anomaly a} AS shown, source_seq, pointer COLLATE "C" AS pointer, ''::text COLLATE "C" AS balance, kind, height, block_hash,
		       NULL::text AS ticker, NULL::text AS address, NULL::text AS available, NULL::text AS transferrable
		FROM {ordinals}.anomaly a`
	faultsOfBalances = `
		UNION ALL
		SELECT {brc20.negative_balance b}, source_seq, pointer COLLATE "C", (ticker || ' ' || address) COLLATE "C", 'negative_balance', height, NULL,
		       ticker, address, available::text, transferrable::text
		FROM {brc20}.negative_balance b`
)

// balanceSize is the size up to which balances stand in cursors as they are.
const balanceSize = 79

func listFeedAnomalies(ctx context.Context, s *engine.Snapshot, in *feedAnomaliesInput) (*page.KeyPage[feedAnomaly], error) {
	limit := page.LimitOr(in.Limit, auditLimit)
	seq, pointer, balance, err := in.Cursor.parse()
	if err != nil {
		return nil, err
	}
	key := func(f feedAnomaly) string {
		if f.Ticker == nil {
			return fmt.Sprintf("%d:%s:", f.SourceSeq, page.ShortName(f.Pointer, pointerSize))
		}
		return fmt.Sprintf("%d:%s:%s", f.SourceSeq, page.ShortName(f.Pointer, pointerSize), page.ShortName(*f.Ticker+" "+*f.Address, balanceSize))
	}
	if s.Active("ordinals") == nil {
		return page.NewKeyPage(limit, nil, key), nil
	}
	faults := faultsOfBlocks
	if tokens := s.Active("brc20"); tokens != nil && tokens.Rules >= balanceRules && s.Foreign("brc20") == nil {
		faults += faultsOfBalances
	}
	if pointer, err = page.FullName(ctx, s, pointer, `f.pointer`, `(`+faults+`) f WHERE f.source_seq = $1::bigint`, seq); err != nil {
		return nil, err
	}
	if balance, err = page.FullName(ctx, s, balance, `f.balance`, `(`+faults+`) f WHERE f.source_seq = $1::bigint AND f.pointer = $2::text`, seq, pointer); err != nil {
		return nil, err
	}
	type row struct {
		feedAnomaly
		hash *hash.Hash32
	}
	b := s.Batch()
	found := engine.QueryPage(b, limit, func(r *row) []any {
		return []any{&r.SourceSeq, &r.Pointer, &r.Kind, &r.BlockHeight, &r.hash, &r.Ticker, &r.Address, &r.Available, &r.Transferrable}
	}, `
		SELECT shown, source_seq, pointer, kind, height, block_hash, ticker, address, available, transferrable
		FROM (`+faults+`) f WHERE (source_seq, pointer, balance) >= ($1, $2, $3)
		ORDER BY source_seq, pointer, balance LIMIT $4`, seq, pointer, balance, limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := make([]feedAnomaly, len(found.Rows))
	for i, r := range found.Rows {
		rows[i] = r.feedAnomaly
		rows[i].Event = fmt.Sprintf("/audit/v1/events/%d", r.SourceSeq)
		if r.hash != nil {
			text := r.hash.String()
			rows[i].BlockHash = &text
		}
	}
	return page.NewKeyPage(limit, rows, key), nil
}

var (
	tracedFeedAnomaly = &engine.TraceTable{
		Projection: "ordinals", Name: "anomaly", Key: "source_seq pointer", Values: "kind height block_hash:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
	}
	tracedNegativeToken = &engine.TraceTable{
		Projection: "brc20", Name: "negative_balance", Key: "ticker address", Values: "height available:text transferrable:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
		Order:   `t.source_seq, t.pointer, t.ticker, t.address`,
	}
)
