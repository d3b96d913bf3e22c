package readapi

import "context"

var (
	tracedEvent = &tracedTable{
		name: "log.event", key: "seq", values: "path source content_type size sha256:hex body_seq",
		sources: []tracedSource{{column: "seq", pointers: wholeEvent}, {column: "body_seq", pointers: wholeEvent}},
	}
	tracedQuarantine = &tracedTable{
		name: "strata.quarantine", key: "name version seq", values: "path pointer reason",
		sources: []tracedSource{{column: "seq", pointers: `ARRAY[t.pointer]`}},
	}
)

func (a *API) traceAudit() {
	event := func(_ context.Context, _ *snapshot, in *eventInput, _ any) ([]lookup, error) {
		return []lookup{{name: "event", table: tracedEvent, where: `t.seq = $1`, args: []any{in.Seq}, order: `t.seq`}}, nil
	}
	traced(a.Engine, "get-event", event)
	traced(a.Engine, "get-event-body", event)
	traced(a.Engine, "list-quarantine", func(_ context.Context, _ *snapshot, _ *quarantineInput, page *keyPage[quarantined]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		var names []string
		var versions []int32
		var seqs []int64
		for _, q := range page.Results {
			names, versions, seqs = append(names, q.Projection), append(versions, q.Version), append(seqs, q.Seq)
		}
		return []lookup{{
			name: "quarantine", table: tracedQuarantine, order: `t.seq, t.name, t.version`,
			where: `(t.name, t.version, t.seq) IN (SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[]))`, args: []any{names, versions, seqs},
		}}, nil
	})
	traced(a.Engine, "list-negative-balances", func(_ context.Context, s *snapshot, _ *negativeBalancesInput, page *keyPage[negativeBalance]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		var accounts, assets []string
		var heights []int64
		for _, n := range page.Results {
			accounts, assets, heights = append(accounts, n.Account), append(assets, n.Asset), append(heights, n.Height)
		}
		return []lookup{{
			name: "negative balance", table: tracedNegative, order: `t.account, t.asset, t.height`,
			where: `(t.account, t.asset, t.height) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]))`, args: []any{accounts, assets, heights},
		}}, nil
	})
}
