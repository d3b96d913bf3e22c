// Package naming reads what blocks do to the names of both registries, from the events and the calls of their
// transactions alone: a stream of names needs no other tables than a stream of blocks.
package naming

import (
	"cmp"
	"context"
	"slices"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/names"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/view"
)

// Names of the registries in events.
const (
	first  = "bns-v1"
	second = "bns-v2"
)

// About is the description of the stream.
const About = "`name` is sent for each thing that a contract of a registry prints about a name or a namespace, and for each call of it that " +
	"changes something and prints nothing. `revert` is sent for each block that is reverted. Each block is looked through, so to " +
	"resume from long ago takes as long as to read all blocks since."

// Registries tells the contracts of names from others.
type Registries struct{ contracts bns.Contracts }

// known are the contracts of mainnet and testnet.
var known = bns.KnownContracts()

// Of returns registries of which the second one has the given contracts; without any, those of mainnet and testnet.
func Of(contracts bns.Contracts) Registries {
	if len(contracts.Names) == 0 {
		contracts = known
	}
	return Registries{contracts}
}

// Called returns the contracts of which calls may change something without a print.
func (r Registries) Called() []string {
	return append(slices.Clone(r.contracts.Names), names.MainnetContract, names.TestnetContract)
}

// Feed returns the feed of a name or of a namespace; without both, of all names.
func Feed(kind live.Kind, name, namespace string) live.Feed {
	if name != "" {
		namespace = ""
	}
	return live.Feed{Kind: kind, Name: name, Detail: namespace}
}

// Feeds returns the feeds that deliver the event.
func (e *Event) Feeds(kind live.Kind) []live.Feed {
	feeds := []live.Feed{{Kind: kind}}
	if e.Name != "" {
		feeds = append(feeds, live.Feed{Kind: kind, Name: e.Name})
	}
	if e.Namespace != "" {
		feeds = append(feeds, live.Feed{Kind: kind, Detail: e.Namespace})
	}
	return feeds
}

// Call is a transaction, with its bytes if it calls a registry successfully.
type Call struct {
	view.RowKey
	Contract *string
	Raw      []byte
}

// Event is something that happened to a name or a namespace.
type Event struct {
	view.RowKey
	Row             *view.EventRow // the print; nil for a call that prints nothing
	Registry        string
	Operation       string
	Name, Namespace string // the name with its namespace; empty for none
	ID              *string
	Owner           *string
}

// Body is an Event as clients get it.
type Body struct {
	Registry       string      `json:"registry" enum:"bns-v1,bns-v2"`
	Operation      string      `json:"operation" doc:"As the contract prints it, such as name-register, ready (the launch of a namespace) of the first registry, and new-name, transfer-name, list-in-ustx, update-zonefile or launch of the second; for a call that prints nothing, its function, such as set-primary-name."`
	Name           *string     `json:"name" nullable:"true" doc:"With its namespace. Null for a namespace, and where the second registry prints the id alone."`
	Namespace      *string     `json:"namespace" nullable:"true"`
	ID             *string     `json:"id" nullable:"true" doc:"The id of the name in the second registry, where it is printed or called with."`
	Owner          *string     `json:"owner" nullable:"true" doc:"Who has the name since then, or who set a primary name. Null where neither the print nor the name's token tells."`
	TxID           hash.Hash32 `json:"tx_id"`
	EventIndex     *int32      `json:"event_index" nullable:"true" doc:"In the transaction; null for a call that prints nothing."`
	BlockHeight    int64       `json:"block_height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

// Shape returns the event as clients get it.
func (e *Event) Shape(txID hash.Hash32, height int64, block hash.Hash32) *Body {
	b := &Body{Registry: e.Registry, Operation: e.Operation, ID: e.ID, Owner: e.Owner, TxID: txID, BlockHeight: height, IndexBlockHash: block}
	if e.Name != "" {
		b.Name = &e.Name
	}
	if e.Namespace != "" {
		b.Namespace = &e.Namespace
	}
	if e.Row != nil {
		b.EventIndex = &e.Row.Number
	}
	return b
}

// Read returns what the transactions of some blocks do to names. rows are all events of the blocks, and calls their
// transactions. Names of which an event has the id alone are looked up in the projection bns, as far as it has them.
func (r Registries) Read(ctx context.Context, s *engine.Snapshot, rows []view.EventRow, calls []Call) (events []*Event, err error) {
	contracts := r.contracts
	byTransaction := map[view.RowKey][]*view.EventRow{}
	for i := range rows {
		key := rows[i].RowKey
		byTransaction[key] = append(byTransaction[key], &rows[i])
	}
	for i := range calls {
		c := &calls[i]
		all := byTransaction[c.RowKey]
		slices.SortFunc(all, func(a, b *view.EventRow) int { return cmp.Compare(a.Number, b.Number) })
		printed := map[string]bool{} // names of which the transaction prints a renewal
		for place, row := range all {
			e := secondRegistry(contracts).read(all, place, row)
			if e == nil {
				continue
			}
			if e.Operation == bns.RenewName || e.Operation == bns.TransferName {
				printed[e.Name] = true
			}
			e.RowKey, e.Row = c.RowKey, row
			events = append(events, e)
		}
		if e := secondRegistry(contracts).call(c); e != nil && !printed[e.Name] {
			e.RowKey = c.RowKey
			events = append(events, e)
		}
	}
	return events, addNames(ctx, s, events)
}

// addNames adds the names of the second registry to events that have the id alone.
func addNames(ctx context.Context, s *engine.Snapshot, events []*Event) error {
	var ids []string
	for _, e := range events {
		if e.ID != nil && e.Name == "" {
			ids = append(ids, *e.ID)
		}
	}
	if len(ids) == 0 || s.Active("bns") == nil {
		return nil
	}
	type named struct{ id, name, namespace string }
	b := s.Batch()
	found := engine.Query(b, func(n *named) []any { return []any{&n.id, &n.name, &n.namespace} }, `
		SELECT {}, n.id::text, n.full_name, n.namespace
		FROM unnest($1::text[]) AS k (id)
		CROSS JOIN LATERAL (SELECT * FROM {bns}.name n WHERE n.id = least(k.id::numeric, 9223372036854775807)::bigint AND n.until_height IS NULL LIMIT 1) n`, ids)
	if err := b.Run(ctx); err != nil {
		return err
	}
	byID := map[string]named{}
	for _, n := range found.Rows {
		byID[n.id] = n
	}
	for _, e := range events {
		if e.ID == nil || e.Name != "" {
			continue
		}
		if n, ok := byID[*e.ID]; ok {
			e.Name, e.Namespace = n.name, n.namespace
		}
	}
	return nil
}

// secondRegistry has the contracts of the second registry.
type secondRegistry bns.Contracts

// read reads a print; nil for any other event.
func (c secondRegistry) read(all []*view.EventRow, place int, row *view.EventRow) *Event {
	if view.EventKinds[row.Kind].Shown != view.EventLog || row.Contract == nil || row.Topic == nil || *row.Topic != "print" {
		return nil
	}
	contracts := bns.Contracts(c)
	isFirst, isNames, isZonefiles := names.IsContractText(*row.Contract), contracts.IsNames(*row.Contract), contracts.IsZonefiles(*row.Contract)
	if !isFirst && !isNames && !isZonefiles {
		return nil
	}
	value, err := clarity.DecodeAll(row.Value)
	if err != nil {
		return nil
	}
	if isFirst {
		return readFirst(all, place, names.DecodePrint(value))
	}
	decode := bns.DecodePrint
	if isZonefiles {
		decode = bns.DecodeZonefilePrint
	}
	p, err := decode(value)
	if err != nil || !p.Known {
		return nil
	}
	e := &Event{Registry: second, Operation: p.Topic, Namespace: p.Name.Namespace}
	if p.Name.Label != "" {
		e.Name = p.Name.String()
	}
	if p.ID != nil {
		id := p.ID.String()
		e.ID = &id
	}
	if p.Owner != nil {
		owner := p.Owner.String()
		e.Owner = &owner
	}
	return e
}

// readFirst reads a print of the first registry, which names the sender and not the new owner: that is who receives the
// name's token in the transaction.
func readFirst(all []*view.EventRow, place int, what any) *Event {
	switch what := what.(type) {
	case *names.Launch:
		return &Event{Registry: first, Operation: "ready", Namespace: what.Namespace}
	case *names.Change:
		e := &Event{Registry: first, Operation: what.Operation.String(), Name: what.Name.String(), Namespace: what.Name.Namespace}
		for i, row := range all {
			if row.Asset == nil || row.Recipient == nil || !names.IsAsset(*row.Asset) || i > place && (!what.Operation.MovesToken() || e.Owner != nil) {
				continue
			}
			key, err := clarity.DecodeAll(row.Value)
			if err != nil {
				continue
			}
			if name, ok := names.ReadKey(key); ok && name == what.Name {
				e.Owner = row.Recipient
			}
		}
		if sender := what.Sender.String(); e.Owner == nil && !what.Operation.MovesToken() {
			e.Owner = &sender
		}
		return e
	}
	return nil
}

// call reads a successful call that may change something without a print; nil for any other transaction.
func (c secondRegistry) call(of *Call) *Event {
	if of.Contract == nil || of.Raw == nil {
		return nil
	}
	isFirst, isSecond := names.IsContractText(*of.Contract), bns.Contracts(c).IsNames(*of.Contract)
	tx := view.DecodeTransaction(of.Raw)
	if tx == nil || !isFirst && !isSecond {
		return nil
	}
	called, ok := tx.Payload.(*transaction.ContractCall)
	if !ok {
		return nil
	}
	sender := tx.Sender().String()
	if isFirst {
		switch what := names.DecodeCall(called.Function, called.Arguments.List()).(type) {
		case *names.SilentRenewal:
			return &Event{Registry: first, Operation: called.Function, Name: what.Name.String(), Namespace: what.Name.Namespace}
		case *names.PriceUpdate:
			return &Event{Registry: first, Operation: called.Function, Namespace: what.Namespace}
		case *names.PriceFreeze:
			return &Event{Registry: first, Operation: called.Function, Namespace: what.Namespace}
		}
		return nil
	}
	what, ok, err := bns.DecodeCall(called.Function, called.Arguments.List())
	if err != nil || !ok {
		return nil
	}
	e := &Event{Registry: second, Operation: what.Function, Namespace: what.Name.Namespace}
	switch what.Function {
	case bns.SetPrimaryName:
		id := what.ID.String()
		e.ID, e.Owner = &id, &sender
	case bns.NameRenewal:
		e.Name, e.Owner = what.Name.String(), &sender
	case bns.NamespaceReveal:
	default: // a preorder is of a name that nobody else knows
		return nil
	}
	return e
}
