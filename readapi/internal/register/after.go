package register

import (
	"maps"
	"slices"
	"strconv"

	"strata/domain/commit"
)

// after returns what is known once a transaction has moved versions. ok is false if it does not follow from k. A
// transaction that k knows already changes nothing.
//
// The log is taken to be as long as what was folded of it: what has come since is of no concern to readers of tables.
func (k *known) after(moves []commit.Move) (next *known, ok bool) {
	before := k.state
	state := &State{
		Archive: before.Archive, LogSize: before.LogSize, Replica: before.Replica, Versions: slices.Clone(before.Versions),
		active: maps.Clone(before.active), schemas: before.schemas, // moves change neither which versions there are nor which are active
	}
	next = &known{state: state, shards: maps.Clone(k.shards)}
	for _, m := range moves {
		i := slices.IndexFunc(before.Versions, func(v *Version) bool { return v.identity() == m.Version && v.Epoch == m.Epoch })
		if i < 0 {
			return nil, false
		}
		v := before.Versions[i]
		if v.Position >= m.To {
			continue
		}
		if v.Position != m.From {
			return nil, false
		}
		moved := next.move(v, m)
		if state.Versions[i] = moved; moved.Active {
			state.active[moved.Name] = moved
		}
		state.LogSize = max(state.LogSize, m.LogSeq)
	}
	state.digest()
	state.sized()
	return next, true
}

// move returns a version after a move, and notes its changed shards.
func (k *known) move(before *Version, m commit.Move) *Version {
	v := *before
	v.Position, v.LogSeq = m.To, m.LogSeq
	v.Height, v.BurnHeight, v.IndexBlock, v.Block = nil, nil, nil, nil
	if tip := m.Tip; tip != nil {
		v.Height, v.BurnHeight, v.IndexBlock, v.Block = &tip.Height, &tip.BurnBlockHeight, &tip.IndexBlockHash, &tip.BlockHash
	}
	if m.AllShards {
		v.changedFrom = m.To
	}
	v.header = []string{v.describe()}
	if v.Active {
		changes := make([]change, len(m.Shards))
		for i, shard := range m.Shards {
			changes[i] = change{shard, m.To}
		}
		shards := k.shards[v.Name].with(changes)
		k.shards[v.Name], v.changed = shards, shards.at
	}
	return &v
}

// sized derives what follows from the size of the log.
func (s *State) sized() { s.logHeader = []string{"log=" + strconv.FormatInt(s.LogSize, 10)} }
