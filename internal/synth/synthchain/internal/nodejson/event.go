package nodejson

import (
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/node"
)

// Event is one entry of events[], without its index.
type Event struct {
	kind eventKind
	data []byte // the JSON object named after the kind
}

// eventKind is the type of an event.
type eventKind string

const (
	stxTransfer   eventKind = "stx_transfer_event"
	stxMint       eventKind = "stx_mint_event"
	stxBurn       eventKind = "stx_burn_event"
	stxLock       eventKind = "stx_lock_event"
	ftTransfer    eventKind = "ft_transfer_event"
	ftMint        eventKind = "ft_mint_event"
	ftBurn        eventKind = "ft_burn_event"
	nftTransfer   eventKind = "nft_transfer_event"
	nftMint       eventKind = "nft_mint_event"
	nftBurn       eventKind = "nft_burn_event"
	contractEvent eventKind = "contract_event"
)

// append appends the entry of events[] to dst.
func (e *Event) append(dst []byte, txid hash.Hash32, index int, committed bool) []byte {
	o := newObject(dst).bool("committed", committed)
	if e.kind == contractEvent {
		o = o.raw(string(e.kind), e.data...)
	}
	if o = o.number("event_index", uint64(index)); e.kind != contractEvent {
		o = o.raw(string(e.kind), e.data...)
	}
	return o.hash("txid", txid).text("type", string(e.kind)).end()
}

// STXTransfer returns the event of moved STX. memo is nil if there is none, as in Clarity.
func STXTransfer(g node.Generation, from, to string, amount uint64, memo []byte) Event {
	data := newObject(nil).amount("amount", amount)
	if g >= node.V21 {
		data = data.bareHex("memo", memo)
	}
	return Event{stxTransfer, data.text("recipient", to).text("sender", from).end()}
}

// STXMint returns the event of created STX.
func STXMint(to string, amount uint64) Event {
	return Event{stxMint, newObject(nil).amount("amount", amount).text("recipient", to).end()}
}

// STXBurn returns the event of destroyed STX.
func STXBurn(from string, amount uint64) Event {
	return Event{stxBurn, newObject(nil).amount("amount", amount).text("sender", from).end()}
}

// STXLock returns the event of STX that a PoX contract locks until a burn block.
func STXLock(g node.Generation, contract, address string, amount, until uint64) Event {
	data := newObject(nil)
	if g >= node.V21 {
		data = data.text("contract_identifier", contract)
	}
	return Event{stxLock, data.text("locked_address", address).amount("locked_amount", amount).amount("unlock_height", until).end()}
}

// FTMint returns the event of created fungible tokens. The amount is decimal.
func FTMint(asset, to, amount string) Event {
	return Event{ftMint, fungible(asset, amount).text("recipient", to).end()}
}

// FTTransfer returns the event of moved fungible tokens. The amount is decimal.
func FTTransfer(asset, from, to, amount string) Event {
	return Event{ftTransfer, fungible(asset, amount).text("recipient", to).text("sender", from).end()}
}

// FTBurn returns the event of destroyed fungible tokens. The amount is decimal.
func FTBurn(asset, from, amount string) Event {
	return Event{ftBurn, fungible(asset, amount).text("sender", from).end()}
}

func fungible(asset, amount string) object {
	return newObject(nil).text("amount", amount).text("asset_identifier", asset)
}

// NFTMint returns the event of a created non-fungible token.
func NFTMint(g node.Generation, asset string, id clarity.Value, to string) Event {
	return Event{nftMint, item(asset, id).text("recipient", to).endWith(g, id)}
}

// NFTTransfer returns the event of a moved non-fungible token.
func NFTTransfer(g node.Generation, asset string, id clarity.Value, from, to string) Event {
	return Event{nftTransfer, item(asset, id).text("recipient", to).text("sender", from).endWith(g, id)}
}

// NFTBurn returns the event of a destroyed non-fungible token.
func NFTBurn(g node.Generation, asset string, id clarity.Value, from string) Event {
	return Event{nftBurn, item(asset, id).text("sender", from).endWith(g, id)}
}

func item(asset string, id clarity.Value) object {
	return newObject(nil).text("asset_identifier", asset).hex("raw_value", id.Raw())
}

// Print returns the event of a value that a contract prints.
func Print(g node.Generation, contract string, value clarity.Value) Event {
	data := newObject(nil).text("contract_identifier", contract).hex("raw_value", value.Raw()).text("topic", "print")
	return Event{contractEvent, data.endWith(g, value)}
}

// endWith closes the object of an event. Nodes before V34 add the decoded value at its end.
func (o object) endWith(g node.Generation, value clarity.Value) []byte {
	if g < node.V34 {
		o = appendStructure(o.key("value"), value)
	}
	return o.end()
}

// events writes events[] in random order. The index of an event counts over all transactions.
func (e *Encoder) events(dst []byte, receipts []*Receipt) []byte {
	type numbered struct {
		*Event
		receipt *Receipt
		index   int
	}
	var all []numbered
	for _, r := range receipts {
		for i := range r.Events {
			all = append(all, numbered{&r.Events[i], r, len(all)})
		}
	}
	e.Random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return appendList(dst, len(all), func(dst []byte, i int) []byte {
		n := all[i]
		return n.append(dst, n.receipt.Txid, n.index, n.receipt.Outcome.Status != AbortByPostCondition)
	})
}
