package accounts

import (
	"context"

	"strata/domain/activity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/projections"
)

// writes are the new rows of a run of blocks.
type writes struct {
	blocks, transactions, accounts, members, moves, prints, topics, deployments, rewards copyBuffer
	spill                                                                                func(*copyBuffer) error // sends rows that take much memory
}

func newWrites(ctx context.Context, b *batch) *writes {
	return &writes{
		spill: func(rows *copyBuffer) error { return rows.spill(ctx, b.tx, b.spec) },
		blocks: copyBuffer{table: "block", columns: []string{
			"height", "source_seq", "first_tx", "last_tx",
			"token_transfers", "smart_contracts", "contract_calls", "poison_microblocks", "coinbases", "tenure_changes",
			"tenure_height", "burn_blocks", "burn_block_height", "burn_block_time", "block_time", "accounts", "index_block_hash", "block_hash", "burn_block_hash", "touched",
		}},
		transactions: copyBuffer{table: "transaction", columns: []string{
			"n", "height", "source_seq", "type_n", "tx_index", "microblock_sequence", "type",
		}},
		accounts: copyBuffer{table: "account", columns: []string{"source_seq", "first_height", "id", "account"}},
		members: copyBuffer{table: "account_transaction", columns: []string{
			"tx", "source_seq", "account", "n", "calls",
			"stx_transfers", "stx_mints", "stx_burns", "ft_transfers", "ft_mints", "ft_burns", "nft_transfers", "nft_mints", "nft_burns",
			"involvement", "stx_sent", "stx_received", "fee_paid",
		}},
		moves: copyBuffer{table: "account_event", columns: []string{
			"tx", "source_seq", "account", "n", "event_index", "inbound", "stx_in", "stx_out", "asset_n", "kind", "transfer_type", "stx_side", "asset",
		}},
		prints: copyBuffer{table: "contract_event", columns: []string{
			"tx", "source_seq", "contract", "n", "event_index", "sender", "topic", "topic_n", "function", "function_n",
		}},
		topics:      copyBuffer{table: "contract_topic", columns: []string{"source_seq", "contract", "topic", "name"}},
		deployments: copyBuffer{table: "deployment", columns: []string{"tx", "source_seq", "tx_index", "functions"}},
		rewards: copyBuffer{table: "miner_reward", columns: []string{
			"height", "source_seq", "account", "n", "position", "coinbase", "fees", "coinbase_sum", "fees_sum", "earned_in",
		}},
	}
}

func (w *writes) flush(ctx context.Context, b *batch) error {
	for _, table := range []*copyBuffer{&w.blocks, &w.transactions, &w.accounts, &w.members, &w.moves, &w.prints, &w.topics, &w.deployments, &w.rewards} {
		if err := table.write(ctx, b.tx, b.spec); err != nil {
			return err
		}
	}
	return nil
}

func (w *writes) block(step projections.Step, firstTx int64, t *tip, touched []int32) {
	c, r := step.Block, &w.blocks
	r.add()
	r.bigint(step.Height, step.BlockSeq, firstTx, t.lastTx)
	r.bigint(t.types[:]...)
	r.bigint(tenureOf(c), t.burnBlocks, t.BurnBlockHeight, int64(c.BurnBlockTime)) // chain has refused blocks with numbers beyond 2^63
	if c.Time == nil {
		r.null()
	} else {
		r.bigint(int64(*c.Time))
	}
	r.int(t.accounts)
	r.bytea(c.IndexBlockHash[:])
	r.bytea(c.BlockHash[:])
	r.bytea(c.BurnBlockHash[:])
	r.intArray(touched)
}

// tenureOf returns the height of a block's tenure, or -1 if it is unknown. Before Nakamoto, each block was a tenure.
func tenureOf(c *projections.Block) int64 {
	switch {
	case c.TenureHeight != nil:
		return int64(*c.TenureHeight)
	case c.IsNakamoto():
		return -1
	}
	return int64(c.Height)
}

// transaction writes a transaction with its number n and its number ofType among those of its type, 0 for none.
func (w *writes) transaction(height, seq, n, ofType int64, kind activity.TxType, source *nodeevent.Transaction) {
	r := &w.transactions
	r.add()
	r.bigint(n, height, seq)
	if ofType == 0 {
		r.null()
	} else {
		r.bigint(ofType)
	}
	r.int(int32(source.Index))
	if source.Microblock == nil {
		r.null()
	} else {
		r.int(int32(source.Microblock.Sequence))
	}
	if ofType == 0 {
		r.null()
	} else {
		r.smallint(int16(kind))
	}
}

func (w *writes) account(height, seq int64, a *account) {
	r := &w.accounts
	r.add()
	r.bigint(seq, height)
	r.int(a.id)
	r.text(a.name)
}

func (w *writes) member(tx, seq int64, m *member) {
	a, r := m.account, &w.members
	r.add()
	r.bigint(tx, seq)
	r.int(a.id, a.transactions)
	r.intOrNull(a.calls)
	r.intOrNull(m.counts[:]...)
	r.smallint(int16(m.involvement))
	r.numeric(m.sent)
	r.numeric(m.received)
	r.numeric(m.paid)
}

// move writes an event of an account. transfer is 0 unless the event is an inbound STX transfer, stx is 0 unless it moves
// STX, and token is nil unless it moves a fungible token.
func (w *writes) move(tx, seq int64, m *move, a *account, transfer activity.TransferType, stx int16, token *sublist) {
	r := &w.moves
	r.add()
	r.bigint(tx, seq)
	r.int(a.id, a.events, int32(m.index))
	r.intOrNull(a.inbound, a.stxIn, a.stxOut)
	if token == nil {
		r.null()
	} else {
		r.int(token.n)
	}
	r.smallint(int16(m.kind))
	for _, n := range []int16{int16(transfer), stx} {
		if n == 0 {
			r.null()
		} else {
			r.smallint(n)
		}
	}
	if token == nil {
		r.null()
	} else {
		r.bigint(m.asset)
	}
}

// reward writes a matured reward of a miner.
func (w *writes) reward(height, seq int64, d *reward) {
	r := &w.rewards
	r.add()
	r.bigint(height, seq)
	r.int(d.miner.id, d.miner.rewards, int32(d.position))
	r.numeric(d.coinbase)
	r.numeric(d.fees)
	r.numeric(d.miner.coinbase)
	r.numeric(d.miner.fees)
	if d.earnedIn == (hash.Hash32{}) {
		r.null()
	} else {
		r.bytea(d.earnedIn[:])
	}
}

// print writes a contract's print. sender is the id of the transaction's sender, 0 if unknown; function is the key of the
// function that the transaction calls, nil for none.
func (w *writes) print(tx, seq int64, p *printEvent, sender int32, function *int32) {
	r := &w.prints
	r.add()
	r.bigint(tx, seq)
	r.int(p.contract.id, p.contract.prints, int32(p.index))
	r.intOrNull(sender)
	if p.topic == nil {
		r.null()
		r.null()
	} else {
		r.int(p.topic.number, p.topic.n)
	}
	if function == nil {
		r.null()
		r.null()
	} else {
		r.int(*function, p.function.n)
	}
}

func (w *writes) topic(seq int64, t *topic) {
	r := &w.topics
	r.add()
	r.bigint(seq)
	r.int(t.contract.id, t.number)
	r.text(t.name)
}

// deployment writes a transaction's successful deployment of a contract.
func (w *writes) deployment(tx, seq int64, d *effect) {
	r := &w.deployments
	r.add()
	r.bigint(tx, seq)
	r.int(int32(d.source.Index))
	r.byteaArray(d.functions)
}
