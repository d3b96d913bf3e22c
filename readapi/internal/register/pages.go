package register

import "strata/domain/shard"

const pageSize = 1 << 8

// pages hold the positions of all shards of a version. A change copies the pages that it touches, so that a state in use
// does not change.
type pages [shard.Count / pageSize]*[pageSize]int64

// at returns the position of a shard; nil pages have none.
func (p *pages) at(number int32) int64 {
	if p == nil {
		return 0
	}
	page := p[number/pageSize]
	if page == nil {
		return 0
	}
	return page[number%pageSize]
}

// change is a change of a shard at a position.
type change struct {
	shard    int32
	position int64
}

// appendChanges appends the changes of some shards at a position.
func appendChanges(changes []change, shards []int32, position int64) []change {
	for _, s := range shards {
		changes = append(changes, change{s, position})
	}
	return changes
}

// with returns the pages after some changes; p itself stays the same.
func (p *pages) with(changes []change) *pages {
	if len(changes) == 0 {
		return p
	}
	next := *p
	for _, c := range changes {
		number := c.shard / pageSize
		if next[number] == p[number] {
			page := &[pageSize]int64{}
			if p[number] != nil {
				*page = *p[number]
			}
			next[number] = page
		}
		next[number][c.shard%pageSize] = c.position
	}
	return &next
}
