package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/jsonrpc"
	"strata/readapi/stream/internal/naming"
	"strata/readapi/stream/internal/socketio"
)

// Kinds of the feeds that clients of WebSockets and of Socket.IO subscribe to.
const (
	socketBlocks         live.Kind = "socket-blocks"
	socketMicroblocks    live.Kind = "socket-microblocks" // never delivers: the chain has no microblocks any more
	socketReverts        live.Kind = "socket-reverts"
	socketMempool        live.Kind = "socket-mempool"
	socketTransactions   live.Kind = "socket-transactions"    // the name is a transaction id
	socketAddresses      live.Kind = "socket-addresses"       // the name is a principal
	socketBalances       live.Kind = "socket-balances"        // the name is a principal
	socketNFTs           live.Kind = "socket-nfts"            // all collections
	socketNFTAssets      live.Kind = "socket-nft-assets"      // the name is an asset identifier, the detail a value in hex
	socketNFTCollections live.Kind = "socket-nft-collections" // the name is an asset identifier
)

// Methods of notifications. All but socketRevert are also the names of events that a client subscribes to.
const (
	socketBlock         = "block"
	socketMicroblock    = "microblock"
	socketPending       = "mempool"
	socketTransaction   = "tx_update"
	socketAddress       = "address_tx_update"
	socketBalance       = "address_balance_update"
	socketNFT           = "nft_event"
	socketNFTAsset      = "nft_asset_event"
	socketNFTCollection = "nft_collection_event"
	// socketRevert is an extension of stacks-blockchain-api: it says that a block was reverted.
	socketRevert = "revert"
)

// notification encodes the message of a feed, once for all its subscribers: for WebSockets as a notification of JSON-RPC (a
// request without an id, which nobody answers), and for Socket.IO as an event.
func notification(step int64, position live.Position, feed live.Feed, body any) (*live.Message, error) {
	params, err := engine.Encode(body)
	if err != nil {
		return nil, err
	}
	method := socketMethods[feed.Kind]
	data := make([]byte, 0, len(params)+len(method)+64)
	data = append(data, `{"jsonrpc":"`+jsonrpc.Version+`","method":"`+method+`","params":`...)
	start := len(data)
	data = append(append(data, params...), '}')
	params = data[start : len(data)-1]
	return &live.Message{Step: step, Position: position, Data: data, Event: sync.OnceValue(func() []byte {
		name, texts := roomOf(feed)
		return socketio.Event(name, texts, params)
	})}, nil
}

// socketMethods maps the kind of a feed to the method of its notifications.
var socketMethods = map[live.Kind]string{
	socketBlocks: socketBlock, socketReverts: socketRevert, socketMempool: socketPending, socketTransactions: socketTransaction,
	socketAddresses: socketAddress, socketBalances: socketBalance,
	socketNFTs: socketNFT, socketNFTAssets: socketNFTAsset, socketNFTCollections: socketNFTCollection,
	naming.SocketAll: naming.EventAll, naming.SocketName: naming.EventName, naming.SocketNamespace: naming.EventNamespace,
}

// addressUpdate is a mined transaction with the STX that it moved from and to an account.
type addressUpdate struct {
	Address      string               `json:"address"`
	TxID         hash.Hash32          `json:"tx_id"`
	TxStatus     string               `json:"tx_status"`
	TxType       string               `json:"tx_type"`
	Tx           view.TransactionBody `json:"tx"`
	STXSent      schema.Amount        `json:"stx_sent"`
	STXReceived  schema.Amount        `json:"stx_received"`
	STXTransfers []view.StxTransfer   `json:"stx_transfers"`
}

// addressBalance is the STX balance of an account.
type addressBalance struct {
	Address string `json:"address"`
	view.StxBalance
}

// nftUpdate is an event of a non-fungible token.
type nftUpdate struct {
	view.TransferParties
	AssetIdentifier string            `json:"asset_identifier"`
	AssetEventType  string            `json:"asset_event_type"`
	Value           view.ClarityValue `json:"value"`
	TxID            hash.Hash32       `json:"tx_id"`
	TxIndex         int32             `json:"tx_index"`
	BlockHeight     int64             `json:"block_height"`
	EventIndex      int32             `json:"event_index"`
}

// socketMessage renders a transaction, or an event of it, as a notification for WebSockets.
func (r *liveRendering) socketMessage(s *liveStep, t *touch, row *view.TransactionRow) (*live.Message, error) {
	switch t.feed.Kind {
	case socketTransactions:
		return notification(s.step, s.position(), t.feed, r.transaction(row))
	case socketAddresses:
		return notification(s.step, s.position(), t.feed, newAddressUpdate(t.feed.Name, r.transaction(row), t.stx))
	case naming.SocketAll, naming.SocketName, naming.SocketNamespace:
		return notification(s.step, s.position(), t.feed, t.named.Shape(row.ID, s.height, s.id))
	}
	kind := view.EventKinds[t.event.Kind]
	return notification(s.step, s.position(), t.feed, nftUpdate{
		TransferParties: view.TransferParties{Sender: view.ValueOf(t.event.Sender), Recipient: view.ValueOf(t.event.Recipient)},
		AssetIdentifier: view.ValueOf(t.event.Asset), AssetEventType: kind.Action, Value: view.ShowRaw(t.event.Value),
		TxID: row.ID, TxIndex: row.Index, BlockHeight: s.height, EventIndex: t.event.Number,
	})
}

// nftFeeds returns the feeds that deliver an event of a non-fungible token.
func nftFeeds(e *view.EventRow) []live.Feed {
	asset := view.ValueOf(e.Asset)
	return []live.Feed{
		{Kind: socketNFTs}, {Kind: socketNFTCollections, Name: asset}, {Kind: socketNFTAssets, Name: asset, Detail: string(view.HexOf(e.Value))},
	}
}

// newAddressUpdate sums the STX that a transaction moved from and to an account. stx are the events that moved them;
// the fee counts as sent if the account paid it.
func newAddressUpdate(account string, tx view.TransactionBody, stx []*view.EventRow) addressUpdate {
	u := addressUpdate{
		Address: account, TxID: tx.TxID, TxStatus: tx.TxStatus, TxType: tx.TxType, Tx: tx,
		STXTransfers: make([]view.StxTransfer, 0, min(len(stx), view.TransfersMax)),
	}
	sent, received := []string{"0"}, []string{"0"}
	for _, e := range stx {
		moved := view.AmountOf(e.Amount)
		if view.ValueOf(e.Sender) == account {
			sent = append(sent, string(moved))
		}
		if view.ValueOf(e.Recipient) == account {
			received = append(received, string(moved))
		}
		if len(u.STXTransfers) < view.TransfersMax {
			u.STXTransfers = append(u.STXTransfers, view.StxTransfer{Amount: moved, TransferSides: view.TransferSides{Sender: view.ValueOf(e.Sender), Recipient: view.ValueOf(e.Recipient)}})
		}
	}
	payer := tx.SenderAddress
	if tx.Sponsored {
		payer = tx.SponsorAddress
	}
	if payer == account {
		sent = append(sent, string(tx.FeeRate))
	}
	u.STXSent, u.STXReceived = schema.AddAmounts(sent...), schema.AddAmounts(received...)
	return u
}

// attachSTX sets the stx of each touch of a socketAddresses feed: the events of its transaction that move STX of the
// account.
func attachSTX(touches []touch, events []view.EventRow) {
	type party struct {
		view.RowKey
		account string
	}
	wanted := map[party][]*view.EventRow{}
	for i := range touches {
		if t := &touches[i]; t.feed.Kind == socketAddresses {
			wanted[party{t.RowKey, t.feed.Name}] = nil
		}
	}
	if len(wanted) == 0 {
		return
	}
	add := func(account string, e *view.EventRow) {
		key := party{e.RowKey, account}
		if found, ok := wanted[key]; ok {
			wanted[key] = append(found, e)
		}
	}
	for i := range events {
		e := &events[i]
		if view.EventKinds[e.Kind].Shown != view.EventSTX {
			continue
		}
		sender, recipient := view.ValueOf(e.Sender), view.ValueOf(e.Recipient)
		add(sender, e)
		if recipient != sender {
			add(recipient, e)
		}
	}
	for i := range touches {
		if t := &touches[i]; t.feed.Kind == socketAddresses {
			t.stx = wanted[party{t.RowKey, t.feed.Name}]
			slices.SortFunc(t.stx, func(a, b *view.EventRow) int { return cmp.Compare(a.Number, b.Number) })
		}
	}
}

// blocksV1Of reads the blocks that steps apply, in the shape of version 1 of the API. The keys are the seqs of the log
// events that brought them.
func blocksV1Of(ctx context.Context, s *engine.Snapshot, steps []liveStep) (map[int64]*view.BlockV1, error) {
	contents := appliedContents(steps)
	if len(contents) == 0 {
		return nil, nil
	}
	b := s.Batch()
	found := view.QueueBlocksV1(b, view.BlockChoice{SQL: `SELECT k.source_seq FROM unnest($1::bigint[]) AS k (source_seq)`, Arg: contents})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	shaped := found.Shape()
	blocks := make(map[int64]*view.BlockV1, len(shaped))
	for i := range shaped {
		shaped[i].Canonical = true // it was at this step; if it has been orphaned since, a revert step follows
		blocks[shaped[i].Seq] = &shaped[i]
	}
	return blocks, nil
}
