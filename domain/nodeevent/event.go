package nodeevent

import (
	"cmp"
	"slices"
	"strconv"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// Event is an entry of events[] in a block or microblocks payload.
type Event struct {
	Index      int         // position in the body's array; only Pointer needs it
	EventIndex uint32      // required; counts the events of the whole payload
	TxID       hash.Hash32 // required
	Tx         int         // position of its transaction in the payload's Transactions
	Committed  bool        // true when missing
	Type       string      // required; one of the Type constants, or an unknown type
	Data       EventData   // never nil
}

// Pointer returns the JSON pointer of the event in its body.
func (e *Event) Pointer() string { return "/events/" + strconv.Itoa(e.Index) }

// events reads events[] and sorts the events by event index. The node writes them in the order of a hash table, which
// differs each time that it makes the payload.
func (c *cursor) events() []Event {
	index := 0
	list := jsoncursor.List(&c.Cursor, func(e *Event) {
		e.Index = index
		index++
		c.event(e)
	})
	slices.SortFunc(list, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.EventIndex, b.EventIndex), cmp.Compare(a.Index, b.Index))
	})
	return list
}

func (c *cursor) event(e *Event) {
	var id, index, kind bool
	known, unknown := make([]typedData, 0, 1), make([]memberRange, 0, 1) // on the stack
	e.Committed = true
	c.Object(func(name []byte) {
		switch string(name) {
		case "txid":
			id = c.Hash32(&e.TxID)
		case "event_index":
			index = c.Read(&e.EventIndex)
		case "committed":
			e.Committed = true // if it is null
			c.Bool(&e.Committed)
		case "type":
			kind = c.Name(&e.Type)
		default:
			// The member that holds the data is named like the type, and may come before the type.
			if data, ok := c.eventData(name); ok {
				known = append(known, data)
				return
			}
			member := memberRange{name: string(name), start: c.Offset()}
			c.unknown(name)
			member.end = c.Offset()
			unknown = append(unknown, member)
		}
	})
	c.Need(id, "txid", "32 bytes in hex")
	c.Need(index, "event_index", "a whole number")
	c.Need(kind, "type", "a string")
	if c.Failed() {
		return
	}
	for _, k := range known {
		if k.kind == e.Type {
			e.Data = k.data
		}
	}
	if e.Data != nil {
		return
	}
	c.Need(!isKnownType(e.Type), e.Type, "the data of the event")
	data := &UnknownEvent{}
	for _, u := range unknown {
		if u.name == e.Type {
			data.Raw = c.Between(u.start, u.end)
		}
	}
	e.Data = data
}

type typedData struct {
	kind string
	data EventData // nil if the member is null
}

// memberRange says where the value of a member is in the body.
type memberRange struct {
	name       string
	start, end int64
}
