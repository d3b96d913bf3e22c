package readapi

import (
	"cmp"
	"context"
	"slices"

	"strata/domain/hash"
	"strata/readapi/internal/live"
)

// Kinds of feeds of WebSockets.
const (
	socketBlocks         live.Kind = "socket-blocks"
	socketMicroblocks    live.Kind = "socket-microblocks" // of which there are no more
	socketReverts        live.Kind = "socket-reverts"
	socketMempool        live.Kind = "socket-mempool"
	socketTransactions   live.Kind = "socket-transactions"    // the name is an id
	socketAddresses      live.Kind = "socket-addresses"       // of a principal
	socketBalances       live.Kind = "socket-balances"        // of a principal
	socketNFTs           live.Kind = "socket-nfts"            // all of them
	socketNFTAssets      live.Kind = "socket-nft-assets"      // the name is an asset, the detail a value
	socketNFTCollections live.Kind = "socket-nft-collections" // the name is an asset
)

// Methods of notifications, which are the names of events beside one.
const (
	socketBlock         = "block"
	socketMicroblock    = "microblock"
	socketWaiting       = "mempool"
	socketTransaction   = "tx_update"
	socketAddress       = "address_tx_update"
	socketBalance       = "address_balance_update"
	socketNFT           = "nft_event"
	socketNFTAsset      = "nft_asset_event"
	socketNFTCollection = "nft_collection_event"
	// socketRevert is ours.
	socketRevert = "revert"
)

// rpcNotification tells of something.
type rpcNotification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// notification makes the message that tells of a step, once for all who subscribe to it.
func notification(s *liveStep, method string, params any) (*live.Message, error) {
	data, err := encode(rpcNotification{rpcVersion, method, params})
	return &live.Message{Step: s.step, Position: s.position(), Data: data}, err
}

// addressUpdate is a mined transaction with what it moved of an account.
type addressUpdate struct {
	Address      string          `json:"address"`
	TxID         hash.Hash32     `json:"tx_id"`
	TxStatus     string          `json:"tx_status"`
	TxType       string          `json:"tx_type"`
	Tx           transactionBody `json:"tx"`
	STXSent      amount          `json:"stx_sent"`
	STXReceived  amount          `json:"stx_received"`
	STXTransfers []stxTransfer   `json:"stx_transfers"`
}

// addressBalance is what an account has.
type addressBalance struct {
	Address string `json:"address"`
	stxBalance
}

// nftUpdate is an event of a non-fungible token.
type nftUpdate struct {
	TransferParties
	AssetIdentifier string       `json:"asset_identifier"`
	AssetEventType  string       `json:"asset_event_type"`
	Value           clarityValue `json:"value"`
	TxID            hash.Hash32  `json:"tx_id"`
	TxIndex         int32        `json:"tx_index"`
	BlockHeight     int64        `json:"block_height"`
	EventIndex      int32        `json:"event_index"`
}

// socketMessage shows a transaction, or an event of it, to who subscribes over a WebSocket.
func (r *liveRendering) socketMessage(s *liveStep, t *touch, row *transactionRow) (*live.Message, error) {
	switch t.feed.Kind {
	case socketTransactions:
		return notification(s, socketTransaction, r.transaction(row))
	case socketAddresses:
		return notification(s, socketAddress, newAddressUpdate(t.feed.Name, r.transaction(row), t.stx))
	}
	kind := eventKinds[t.event.kind]
	return notification(s, nftMethods[t.feed.Kind], nftUpdate{
		TransferParties: TransferParties{valueOf(t.event.sender), valueOf(t.event.recipient)},
		AssetIdentifier: valueOf(t.event.asset), AssetEventType: kind.action, Value: showRaw(t.event.value),
		TxID: row.id, TxIndex: row.index, BlockHeight: s.height, EventIndex: t.event.number,
	})
}

var nftMethods = map[live.Kind]string{socketNFTs: socketNFT, socketNFTAssets: socketNFTAsset, socketNFTCollections: socketNFTCollection}

// nftFeeds are those that tell of an event of a non-fungible token.
func nftFeeds(e *eventRow) []live.Feed {
	asset := valueOf(e.asset)
	return []live.Feed{
		{Kind: socketNFTs}, {Kind: socketNFTCollections, Name: asset}, {Kind: socketNFTAssets, Name: asset, Detail: string(hexOf(e.value))},
	}
}

// newAddressUpdate sums what a transaction moved of an account; stx are the events that did.
func newAddressUpdate(account string, tx transactionBody, stx []*eventRow) addressUpdate {
	u := addressUpdate{
		Address: account, TxID: tx.TxID, TxStatus: tx.TxStatus, TxType: tx.TxType, Tx: tx,
		STXTransfers: make([]stxTransfer, 0, min(len(stx), transfersMost)),
	}
	sent, received := []string{"0"}, []string{"0"}
	for _, e := range stx {
		moved := amountOf(e.amount)
		if valueOf(e.sender) == account {
			sent = append(sent, string(moved))
		}
		if valueOf(e.recipient) == account {
			received = append(received, string(moved))
		}
		if len(u.STXTransfers) < transfersMost {
			u.STXTransfers = append(u.STXTransfers, stxTransfer{moved, TransferParties{valueOf(e.sender), valueOf(e.recipient)}})
		}
	}
	payer := tx.SenderAddress
	if tx.Sponsored {
		payer = tx.SponsorAddress
	}
	if payer == account {
		sent = append(sent, string(tx.FeeRate))
	}
	u.STXSent, u.STXReceived = addAmounts(sent...), addAmounts(received...)
	return u
}

// addSTX adds the events that move STX of an account to the transactions that its feed is to have.
func addSTX(touches []touch, events []eventRow) {
	type party struct {
		rowKey
		account string
	}
	wanted := map[party][]*eventRow{}
	for i := range touches {
		if t := &touches[i]; t.feed.Kind == socketAddresses {
			wanted[party{t.rowKey, t.feed.Name}] = nil
		}
	}
	if len(wanted) == 0 {
		return
	}
	add := func(account string, e *eventRow) {
		key := party{e.rowKey, account}
		if found, ok := wanted[key]; ok {
			wanted[key] = append(found, e)
		}
	}
	for i := range events {
		e := &events[i]
		if eventKinds[e.kind].shown != eventSTX {
			continue
		}
		sender, recipient := valueOf(e.sender), valueOf(e.recipient)
		add(sender, e)
		if recipient != sender {
			add(recipient, e)
		}
	}
	for i := range touches {
		if t := &touches[i]; t.feed.Kind == socketAddresses {
			t.stx = wanted[party{t.rowKey, t.feed.Name}]
			slices.SortFunc(t.stx, func(a, b *eventRow) int { return cmp.Compare(a.number, b.number) })
		}
	}
}

// blocksV1Of reads the blocks that steps apply as version 1 of the API has them, by the events with them.
func blocksV1Of(ctx context.Context, s *snapshot, steps []liveStep) (map[int64]*blockV1, error) {
	contents := appliedContents(steps)
	if len(contents) == 0 {
		return nil, nil
	}
	b := s.batch()
	found := queueBlocksV1(b, blockChoice{`SELECT k.source_seq FROM unnest($1::bigint[]) AS k (source_seq)`, contents})
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	shaped := found.shape()
	blocks := make(map[int64]*blockV1, len(shaped))
	for i := range shaped {
		shaped[i].Canonical = true // since then it may have been orphaned; that is told in its turn
		blocks[shaped[i].seq] = &shaped[i]
	}
	return blocks, nil
}
