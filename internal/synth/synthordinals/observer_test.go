package synthordinals

import (
	"testing"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// observer reads only the posts: it decodes them, and stores the applied blocks.
type observer struct {
	network ordinals.Network
	applied map[blockKey]ordinals.Block
	heights map[uint64]bool   // of the applied blocks
	changed map[blockKey]bool // blocks that the last payload applied or rolled back
}

type blockKey struct {
	height uint64
	hash   hash.Hash32
}

func keyOf(b ordinals.Block) blockKey { return blockKey{b.Height, b.Hash} }

func keyOfID(id ordinals.BlockID) blockKey { return blockKey{id.Height, id.Hash} }

// receive reads a post, and checks what must hold for every payload.
func (o *observer) receive(t *testing.T, p Post) *ordinals.Payload {
	t.Helper()
	payload, err := ordinals.Decode(p.Body)
	if err != nil {
		t.Fatalf("%v in %s", err, p.Body)
	}
	if len(payload.Faults) > 0 {
		t.Fatalf("%v in %s", payload.Faults, p.Body)
	}
	if p.Path != "/payload" || len(payload.Apply)+len(payload.Rollback) == 0 {
		t.Fatalf("a post to %s with %s", p.Path, p.Body)
	}
	o.changed = map[blockKey]bool{}
	for i, b := range payload.Rollback {
		if i > 0 && b.Height >= payload.Rollback[i-1].Height {
			t.Errorf("rollback of %d after %d", b.Height, payload.Rollback[i-1].Height)
		}
		if _, ok := o.applied[keyOfID(b)]; !ok {
			continue
		}
		for height := range o.heights {
			if height > b.Height {
				t.Errorf("rollback of %d before %d", b.Height, height)
			}
		}
		o.changed[keyOfID(b)] = true
		delete(o.applied, keyOfID(b))
		delete(o.heights, b.Height)
	}
	for i, b := range payload.Apply {
		if i > 0 && b.Height <= payload.Apply[i-1].Height {
			t.Errorf("%d applied after %d", b.Height, payload.Apply[i-1].Height)
		}
		if len(b.Transactions) == 0 || b.Network != o.network || b.ParentHeight != b.Height-1 {
			t.Errorf("block %d of %q with parent %d has %d transactions", b.Height, b.Network, b.ParentHeight, len(b.Transactions))
		}
		if _, ok := o.applied[keyOf(b)]; ok {
			continue
		}
		if o.heights[b.Height] {
			t.Fatalf("two blocks at height %d", b.Height)
		}
		o.changed[keyOf(b)] = true
		o.applied[keyOf(b)] = b
		o.heights[b.Height] = true
	}
	return payload
}
