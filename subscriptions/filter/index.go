package filter

import "strata/projections"

// Index finds which of many filters a block has something for, without a look at each of them.
type Index struct {
	filters []*Filter
	byKey   map[string][]int
}

// NewIndex returns an index of filters.
func NewIndex(filters []*Filter) *Index {
	x := &Index{filters: filters, byKey: map[string][]int{}}
	for i, f := range filters {
		for _, key := range f.root.keys() {
			x.byKey[key] = append(x.byKey[key], i)
		}
	}
	return x
}

// Matching returns the positions of the filters that something in a block matches, in no order.
func (x *Index) Matching(b *projections.Block) (found []int) {
	matched := map[int]bool{}
	for t := range Things(b) {
		for _, key := range keysOf(t) {
			for _, i := range x.byKey[key] {
				if !matched[i] && x.filters[i].Match(t) {
					matched[i] = true
					found = append(found, i)
				}
			}
		}
	}
	return found
}

// keysOf returns the keys of a thing: its kinds, alone and with each field that filters mostly name.
func keysOf(t *Thing) (keys []string) {
	principals := []string{t.Sender(), t.Recipient(), t.Contract(), t.Sponsor()}
	for _, kind := range t.kinds {
		keys = append(keys, kind)
		for _, field := range indexed {
			if field == "principal" || t.Tx < 0 {
				continue
			}
			if s := t.text(field); s != "" {
				keys = append(keys, keyOf(kind, field, s))
			}
		}
		for i, p := range principals {
			if p != "" && indexOf(principals, p) == i {
				keys = append(keys, keyOf(kind, "principal", p))
			}
		}
	}
	return keys
}

// indexed are the fields of keys, the most telling first.
var indexed = []string{"txid", "asset", "contract", "recipient", "sender", "tx_sender", "principal"}

func keyOf(kind, field, s string) string { return kind + " " + field + " " + s }

func indexOf(all []string, s string) int {
	for i, other := range all {
		if other == s {
			return i
		}
	}
	return -1
}

func (n anyNode) keys() (keys []string) {
	for _, of := range n {
		keys = append(keys, of.keys()...)
	}
	return keys
}

// keys of the condition with the fewest kinds alone among its keys: what has one of these has all of them.
func (n allNode) keys() (best []string) {
	wide := func(keys []string) (n int) {
		for _, key := range keys {
			if fieldsOf[key] != nil {
				n++
			}
		}
		return n
	}
	for _, of := range n {
		if keys := of.keys(); best == nil || wide(keys) < wide(best) {
			best = keys
		}
	}
	return best
}

func (n notNode) keys() []string { return Kinds() }

func (n *leafNode) keys() (keys []string) {
	for kind := range n.kinds {
		keys = append(keys, n.keysOfKind(kind)...)
	}
	return keys
}

func (n *leafNode) keysOfKind(kind string) (keys []string) {
	for _, field := range indexed {
		for i := range n.fields {
			f := &n.fields[i]
			if f.name != field || f.want.texts == nil || f.as != text && f.as != principal {
				continue
			}
			for s := range f.want.texts {
				keys = append(keys, keyOf(kind, field, s))
			}
			return keys
		}
	}
	return []string{kind}
}
