package register

import (
	"maps"
	"slices"
	"strconv"

	"strata/domain/commit"
)

// after returns the state once a transaction has moved versions. ok is false if it does not follow from s. A transaction that s
// knows already changes nothing.
//
// The log is taken to be as long as what was folded of it: what has come since is of no concern to readers of tables.
func (s *State) after(moves []commit.Move) (next *State, ok bool) {
	next = &State{
		Archive: s.Archive, LogSize: s.LogSize, Replica: s.Replica, Versions: slices.Clone(s.Versions),
		active: maps.Clone(s.active), schemas: s.schemas, // moves change neither which versions there are nor which are active
	}
	for _, m := range moves {
		i := slices.IndexFunc(s.Versions, func(v *Version) bool { return v.identity() == m.Version && v.Epoch == m.Epoch })
		if i < 0 {
			return nil, false
		}
		v := s.Versions[i]
		if v.Position >= m.To {
			continue
		}
		if v.Position != m.From {
			return nil, false
		}
		moved := v.after(m)
		if next.Versions[i] = moved; moved.Active {
			next.active[moved.Name] = moved
		}
		next.LogSize = max(next.LogSize, m.LogSeq)
	}
	next.digest()
	next.sized()
	return next, true
}

// after returns the version after a move.
func (v Version) after(m commit.Move) *Version {
	v.Position, v.LogSeq = m.To, m.LogSeq
	v.Height, v.BurnHeight, v.IndexBlock, v.Block, v.HistoryFrom = nil, nil, nil, nil, nil
	if tip := m.Tip; tip != nil {
		v.Height, v.BurnHeight, v.IndexBlock, v.Block = &tip.Height, &tip.BurnBlockHeight, &tip.IndexBlockHash, &tip.BlockHash
		v.HistoryFrom = tip.HistoryFrom
	}
	if m.AllShards {
		v.changedFrom = m.To
	}
	v.header = []string{v.describe()}
	if v.Active {
		v.shards = v.shards.with(appendChanges(nil, m.Shards, m.To))
	}
	return &v
}

// sized derives what follows from the size of the log.
func (s *State) sized() { s.logHeader = []string{"log=" + strconv.FormatInt(s.LogSize, 10)} }
