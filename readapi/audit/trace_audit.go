package audit

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

var (
	tracedEvent = &engine.TraceTable{
		Name: "log.event", Key: "seq", Values: "path source content_type size sha256:hex body_seq",
		Sources: []engine.TraceSource{{Column: "seq", Pointers: engine.WholeEvent}, {Column: "body_seq", Pointers: engine.WholeEvent}},
	}
	tracedQuarantine = &engine.TraceTable{
		Name: "strata.quarantine", Key: "name version seq", Values: "path pointer reason",
		Sources: []engine.TraceSource{{Column: "seq", Pointers: `ARRAY[t.pointer]`}},
	}
)

func (a *api) traceAudit() {
	event := func(_ context.Context, _ *engine.Snapshot, in *eventInput, _ any) ([]engine.Lookup, error) {
		return []engine.Lookup{{Name: "event", Table: tracedEvent, Where: `t.seq = $1`, Args: []any{in.Seq}, Order: `t.seq`}}, nil
	}
	engine.Trace(a.Engine, "get-event", event)
	engine.Trace(a.Engine, "get-event-body", event)
	engine.Trace(a.Engine, "list-quarantine", func(_ context.Context, _ *engine.Snapshot, _ *quarantineInput, page *page.KeyPage[quarantined]) ([]engine.Lookup, error) {
		if page == nil {
			return nil, nil
		}
		var names []string
		var versions []int32
		var seqs []int64
		for _, q := range page.Results {
			names, versions, seqs = append(names, q.Projection), append(versions, q.Version), append(seqs, q.Seq)
		}
		return []engine.Lookup{{
			Name: "quarantine", Table: tracedQuarantine, Order: `t.seq, t.name, t.version`,
			Where: `(t.name, t.version, t.seq) IN (SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[]))`, Args: []any{names, versions, seqs},
		}}, nil
	})
	engine.Trace(a.Engine, "list-negative-balances", func(_ context.Context, s *engine.Snapshot, _ *negativeBalancesInput, page *page.KeyPage[negativeBalance]) ([]engine.Lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		var accounts, assets []string
		var heights []int64
		for _, n := range page.Results {
			accounts, assets, heights = append(accounts, n.Account), append(assets, n.Asset), append(heights, n.Height)
		}
		return []engine.Lookup{{
			Name: "negative balance", Table: tracedNegative, Order: `t.account, t.asset, t.height`,
			Where: `(t.account, t.asset, t.height) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]))`, Args: []any{accounts, assets, heights},
		}}, nil
	})
}
