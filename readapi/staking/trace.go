package staking

import "strata/readapi/internal/engine"

var tracedEvent = &engine.TraceTable{
	Projection: "staking", Name: "event", Key: "n", NewestFirst: []string{"t.n"}, Values: "topic subject bond_index height txid:hex tx_index event_index",
	Join:    `JOIN {chain}.event e ON e.source_seq = t.source_seq AND e.tx_index = t.tx_index AND e.event_index = t.event_index`,
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || e.pointer]`}},
}

var tracedMember = &engine.TraceTable{
	Projection: "staking", Name: "set_member", Key: "cycle place", Order: `t.cycle DESC, t.place`, Values: "signer_key:hex weight staked:text height",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_set/signers']`}},
}

// showWhere says that the answer is made of the events that a condition on t selects.
func showWhere(s *engine.Snapshot, where string, args ...any) {
	s.TraceRows(func() []engine.Lookup {
		return []engine.Lookup{{Name: "event", Table: tracedEvent, Where: where, Args: args, NewestFirst: []string{"t.n"}}}
	})
}
