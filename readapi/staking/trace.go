package staking

import "strata/readapi/internal/engine"

var tracedEvent = &engine.TraceTable{
	Projection: "staking", Name: "event", Key: "n", Values: "topic subject bond_index height txid:hex tx_index event_index",
	Join:    `JOIN {chain}.event e ON e.source_seq = t.source_seq AND e.tx_index = t.tx_index AND e.event_index = t.event_index`,
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || e.pointer]`}},
}

var tracedMember = &engine.TraceTable{
	Projection: "staking", Name: "set_member", Key: "cycle place", Values: "signer_key:hex weight staked:text height",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_set/signers']`}},
}

// showEvents says that the answer shows events of pox-5, by their numbers.
func showEvents(s *engine.Snapshot, numbers func() []int64) {
	s.TraceRows(func() []engine.Lookup {
		if events := numbers(); len(events) > 0 {
			return []engine.Lookup{{Name: "event", Table: tracedEvent, Where: `t.n = ANY ($1::bigint[])`, Args: []any{events}, NewestFirst: []string{"t.n"}}}
		}
		return nil
	})
}

// showWhere says that the answer is made of the events that a condition on t selects.
func showWhere(s *engine.Snapshot, where string, args ...any) {
	s.TraceRows(func() []engine.Lookup {
		return []engine.Lookup{{Name: "event", Table: tracedEvent, Where: where, Args: args, NewestFirst: []string{"t.n"}}}
	})
}

// showRows says that the answer shows rows of a page, each of an event.
func showRows[R any](s *engine.Snapshot, p *listing[R], number func(*R) int64) {
	showEvents(s, func() (numbers []int64) {
		for _, r := range p.shown() {
			numbers = append(numbers, number(&r.row))
		}
		return numbers
	})
}
