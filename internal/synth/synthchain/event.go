package synthchain

// event is one entry of events[], without its index.
type event struct {
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
func (e *event) append(dst []byte, txid [32]byte, index int, committed bool) []byte {
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
