package nodejson

import (
	"strata/domain/clarity"
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
func (e *Event) append(dst []byte, txid [32]byte, index int, committed bool) []byte {
	dst = append(dst, `{"committed":`...)
	if committed {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	if e.kind == contractEvent {
		dst = append(appendKey(dst, string(e.kind)), e.data...)
	}
	dst = appendNumber(appendKey(dst, "event_index"), uint64(index))
	if e.kind != contractEvent {
		dst = append(appendKey(dst, string(e.kind)), e.data...)
	}
	dst = appendHex(appendKey(dst, "txid"), txid[:])
	dst = appendText(appendKey(dst, "type"), string(e.kind))
	return append(dst, '}')
}

// STXTransfer returns the event of moved STX. memo is nil if there is none, as in Clarity.
func STXTransfer(g node.Generation, from, to string, amount uint64, memo []byte) Event {
	data := appendAmount([]byte(`{"amount":`), amount)
	if g >= node.V21 {
		data = appendBareHex(appendKey(data, "memo"), memo)
	}
	data = appendText(appendKey(data, "recipient"), to)
	data = appendText(appendKey(data, "sender"), from)
	return Event{stxTransfer, append(data, '}')}
}

// STXMint returns the event of created STX.
func STXMint(to string, amount uint64) Event {
	data := appendAmount([]byte(`{"amount":`), amount)
	data = appendText(appendKey(data, "recipient"), to)
	return Event{stxMint, append(data, '}')}
}

// STXBurn returns the event of destroyed STX.
func STXBurn(from string, amount uint64) Event {
	data := appendAmount([]byte(`{"amount":`), amount)
	data = appendText(appendKey(data, "sender"), from)
	return Event{stxBurn, append(data, '}')}
}

// STXLock returns the event of STX that a PoX contract locks until a burn block.
func STXLock(g node.Generation, contract, address string, amount, until uint64) Event {
	data := []byte(`{`)
	if g >= node.V21 {
		data = appendText(append(data, `"contract_identifier":`...), contract)
		data = append(data, ',')
	}
	data = appendText(append(data, `"locked_address":`...), address)
	data = appendAmount(appendKey(data, "locked_amount"), amount)
	data = appendAmount(appendKey(data, "unlock_height"), until)
	return Event{stxLock, append(data, '}')}
}

// FTMint returns the event of created fungible tokens. The amount is decimal.
func FTMint(asset, to, amount string) Event {
	data := appendFungible(asset, amount)
	data = appendText(appendKey(data, "recipient"), to)
	return Event{ftMint, append(data, '}')}
}

// FTTransfer returns the event of moved fungible tokens. The amount is decimal.
func FTTransfer(asset, from, to, amount string) Event {
	data := appendFungible(asset, amount)
	data = appendText(appendKey(data, "recipient"), to)
	data = appendText(appendKey(data, "sender"), from)
	return Event{ftTransfer, append(data, '}')}
}

// FTBurn returns the event of destroyed fungible tokens. The amount is decimal.
func FTBurn(asset, from, amount string) Event {
	data := appendFungible(asset, amount)
	data = appendText(appendKey(data, "sender"), from)
	return Event{ftBurn, append(data, '}')}
}

func appendFungible(asset, amount string) []byte {
	data := appendText([]byte(`{"amount":`), amount)
	return appendText(appendKey(data, "asset_identifier"), asset)
}

// NFTMint returns the event of a created non-fungible token.
func NFTMint(g node.Generation, asset string, id clarity.Value, to string) Event {
	data := appendItem(asset, id)
	data = appendText(appendKey(data, "recipient"), to)
	return Event{nftMint, closeWithValue(data, g, id)}
}

// NFTTransfer returns the event of a moved non-fungible token.
func NFTTransfer(g node.Generation, asset string, id clarity.Value, from, to string) Event {
	data := appendItem(asset, id)
	data = appendText(appendKey(data, "recipient"), to)
	data = appendText(appendKey(data, "sender"), from)
	return Event{nftTransfer, closeWithValue(data, g, id)}
}

// NFTBurn returns the event of a destroyed non-fungible token.
func NFTBurn(g node.Generation, asset string, id clarity.Value, from string) Event {
	data := appendItem(asset, id)
	data = appendText(appendKey(data, "sender"), from)
	return Event{nftBurn, closeWithValue(data, g, id)}
}

func appendItem(asset string, id clarity.Value) []byte {
	data := appendText([]byte(`{"asset_identifier":`), asset)
	return appendHex(appendKey(data, "raw_value"), id.Raw())
}

// Print returns the event of a value that a contract prints.
func Print(g node.Generation, contract string, value clarity.Value) Event {
	data := appendText([]byte(`{"contract_identifier":`), contract)
	data = appendHex(appendKey(data, "raw_value"), value.Raw())
	data = append(data, `,"topic":"print"`...)
	return Event{contractEvent, closeWithValue(data, g, value)}
}

// closeWithValue closes an event's object. Nodes before V34 add the decoded value at its end.
func closeWithValue(data []byte, g node.Generation, value clarity.Value) []byte {
	if g < node.V34 {
		data = appendStructure(appendKey(data, "value"), value)
	}
	return append(data, '}')
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
