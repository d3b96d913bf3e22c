package nodeevent

import (
	"cmp"
	"slices"
	"strconv"

	"strata/domain/hash"
)

// Event is an entry of events[] in a block or microblocks payload.
type Event struct {
	Index      int         // position in the payload's array, which has no meaning beyond that
	EventIndex uint32      // required; counts over the whole payload
	TxID       hash.Hash32 // required
	Tx         int         // position of its transaction in the payload's Transactions
	Committed  bool        // true when missing
	Type       string      // required; one of the Type constants, or one not known here
	Data       EventData   // never nil
}

// Pointer is the JSON pointer of the event in its body.
func (e *Event) Pointer() string { return "/events/" + strconv.Itoa(e.Index) }

// events reads events[] sorted by event index. The node writes them in the order of a hash table, which differs each
// time it makes the payload.
func (c *cursor) events() []Event {
	list := []Event{}
	c.array(func() {
		list = append(list, Event{Index: len(list)})
		c.event(&list[len(list)-1])
	})
	slices.SortFunc(list, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.EventIndex, b.EventIndex), cmp.Compare(a.Index, b.Index))
	})
	return list
}

func (c *cursor) event(e *Event) {
	var id, index, kind bool
	var known [1]typedData
	data := known[:0]
	var unknown [1]rawMember
	others := unknown[:0]
	e.Committed = true
	present := c.object(func(name []byte) {
		switch string(name) {
		case "txid":
			id = c.hash32(&e.TxID)
		case "event_index":
			index = c.uint32(&e.EventIndex)
		case "committed":
			c.bool(&e.Committed)
		case "type":
			kind = c.name(&e.Type)
		default:
			// The data stands under a member named like the type, which may come before the type itself.
			if d, ok := c.eventData(name); ok {
				data = append(data, d)
				return
			}
			start := c.dec.InputOffset()
			member := string(name)
			c.skip()
			others = append(others, rawMember{member, start, c.dec.InputOffset()})
		}
	})
	if c.err == nil && !present {
		c.wrong("an event", []byte("null"), nil)
	}
	c.need(id, "txid", "32 bytes in hex")
	c.need(index, "event_index", "a whole number")
	c.need(kind, "type", "a string")
	if c.err != nil {
		return
	}
	for _, d := range data {
		if d.kind == e.Type && d.data != nil {
			e.Data = d.data
		}
	}
	if e.Data != nil {
		return
	}
	c.need(!isKnownType(e.Type), e.Type, "the data of the event")
	u := &UnknownEvent{}
	for _, m := range others {
		if m.name == e.Type {
			u.Raw = c.between(m.start, m.end)
		}
	}
	e.Data = u
}

type typedData struct {
	kind string
	data EventData
}

type rawMember struct {
	name       string
	start, end int64
}
