// Package subscriber is somebody who folds the messages of a subscription.
package subscriber

import (
	"encoding/json"
	"fmt"
)

// Folded is what the messages of a subscription lead to.
type Folded struct {
	Blocks   []string          // index_block_hash, the newest last
	Matches  map[string]string // JSON, by index_block_hash
	Sequence int64             // of the last message
	previous string            // its id
}

// Take takes a message, and refuses one that is not the next, that applies a block again, or that reverts another one than the newest.
func (f *Folded) Take(id string, text []byte) error {
	var m struct {
		Type string
		Data struct {
			Sequence   int64
			PreviousID string `json:"previous_id"`
			Block      struct {
				ID string `json:"index_block_hash"`
			}
			Matches []json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	if m.Data.Sequence != f.Sequence+1 || m.Data.PreviousID != f.previous || len(m.Data.Matches) == 0 {
		return fmt.Errorf("%s is message %d after %q with %d matches, and comes after %d, %q", id, m.Data.Sequence, m.Data.PreviousID, len(m.Data.Matches), f.Sequence, f.previous)
	}
	f.Sequence, f.previous = m.Data.Sequence, id
	block, matches := m.Data.Block.ID, fmt.Sprintf("%s", m.Data.Matches)
	if f.Matches == nil {
		f.Matches = map[string]string{}
	}
	n := len(f.Blocks)
	switch before, applied := f.Matches[block]; {
	case m.Type == "stacks.block.apply" && !applied:
		f.Blocks = append(f.Blocks, block)
		f.Matches[block] = matches
		return nil
	case m.Type == "stacks.block.rollback" && n > 0 && f.Blocks[n-1] == block && before == matches:
		f.Blocks = f.Blocks[:n-1]
		delete(f.Matches, block)
		return nil
	}
	return fmt.Errorf("%s is %s of %s, and the newest blocks are %v", id, m.Type, block, f.Blocks[max(0, n-3):])
}
