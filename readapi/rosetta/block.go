package rosetta

import (
	"context"
	"encoding/hex"
	"strings"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

// ref returns the block that a request names. The legacy dialect takes an index that is not positive for none, and with
// hashFirst a hash goes before an index.
func (c *call) ref(id *wire.PartialBlockIdentifier, hashFirst bool) (ref ledger.Ref, err error) {
	if id == nil {
		return ref, nil
	}
	if id.Index != nil && (!c.Legacy || *id.Index > 0) {
		if *id.Index < 0 {
			return ref, fault.New(fault.InvalidBlockHash)
		}
		ref.Index = id.Index
	}
	if id.Hash != nil {
		if !isHex(*id.Hash) {
			return ref, fault.New(fault.InvalidBlockHash)
		}
		h, err := hash.Parse32(*id.Hash)
		if err != nil {
			return ref, fault.New(fault.BlockNotFound)
		}
		ref.Hash = &h
		if c.Legacy && hashFirst {
			ref.Index = nil
		}
	}
	return ref, nil
}

func (c *call) block(ctx context.Context, in *wire.BlockRequest) (answer *wire.BlockAnswer, err error) {
	ref, err := c.ref(&in.BlockIdentifier, true)
	if err != nil {
		return nil, err
	}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		frame, id, err := ledger.ReadFrame(ctx, s, ref)
		if err != nil {
			return err
		}
		block, err := c.reader().ReadBlock(ctx, s, &frame, id)
		if err != nil {
			return err
		}
		answer = &wire.BlockAnswer{Block: wire.Block{
			BlockIdentifier: c.BlockIdentifier(block.ID), ParentBlockIdentifier: c.BlockIdentifier(block.Parent), Timestamp: block.Time,
			Transactions: make([]wire.Transaction, 0, len(block.Transactions)), Metadata: c.blockMetadata(block),
		}}
		for i := range block.Transactions {
			answer.Block.Transactions = append(answer.Block.Transactions, c.transaction(&block.Transactions[i]))
		}
		for _, other := range block.Others {
			answer.Others = append(answer.Others, wire.TransactionIdentifier{Hash: other})
		}
		return nil
	})
	return answer, err
}

func (c *call) blockMetadata(block *ledger.Block) map[string]any {
	if c.Legacy {
		return map[string]any{"burn_block_height": block.BurnHeight}
	}
	return map[string]any{"canonical": true, "tx_count": block.TxCount, "execution_cost": block.Cost, "burn_block_height": block.BurnHeight}
}

func (c *call) blockTransaction(ctx context.Context, in *wire.BlockTransactionRequest) (answer *wire.TransactionAnswer, err error) {
	ref, err := c.ref(&in.BlockIdentifier, false)
	if err != nil {
		return nil, err
	}
	if err := checkTransactionHash(in.TransactionIdentifier.Hash); err != nil {
		return nil, err
	}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		var within *ledger.ID
		if !c.Legacy && (ref.Index != nil || ref.Hash != nil) {
			_, id, err := ledger.ReadFrame(ctx, s, ref)
			if err != nil {
				return err
			}
			within = &id
		}
		t, _, err := c.reader().ReadTransaction(ctx, s, in.TransactionIdentifier.Hash, within)
		if err != nil {
			return err
		}
		answer = &wire.TransactionAnswer{Transaction: c.transaction(t)}
		return nil
	})
	return answer, err
}

// checkTransactionHash returns a fault unless the text is hex, or the hash of a part of a transaction.
func checkTransactionHash(text string) error {
	digits, _, _ := strings.Cut(text, ":")
	if !isHex(digits) {
		return fault.New(fault.InvalidTransactionHash)
	}
	return nil
}

// transaction returns a transaction of a block.
func (c *call) transaction(t *ledger.Transaction) wire.Transaction {
	shown := wire.Transaction{TransactionIdentifier: wire.TransactionIdentifier{Hash: t.Hash}, Operations: c.Operations(t.Hash, t.Operations)}
	if !c.Legacy && t.Shown != nil {
		shown.Metadata = transactionMetadata(t)
	}
	if t.Memo != nil {
		if shown.Metadata == nil {
			shown.Metadata = map[string]any{}
		}
		shown.Metadata["memo"] = *t.Memo
	}
	return shown
}

// executionCost is what a transaction cost to execute.
type executionCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"`
	Runtime     int64 `json:"runtime"`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"`
}

// transactionMetadata returns what the mesh dialect says of a transaction.
func transactionMetadata(t *ledger.Transaction) map[string]any {
	b := t.Shown
	var sponsor *string
	if b.SponsorAddress != "" {
		sponsor = &b.SponsorAddress
	}
	return map[string]any{
		"status": b.TxStatus, "type": b.TxType, "sponsored": b.Sponsored, "canonical": b.Canonical,
		"execution_cost": executionCost{b.CostReadCount, b.CostReadLength, b.CostRuntime, b.CostWriteCount, b.CostWriteLength},
		"fee_rate":       b.FeeRate, "nonce": b.Nonce, "position": map[string]any{"index": b.TxIndex},
		"raw_tx": "0x" + hex.EncodeToString(t.Raw), "result": b.TxResult,
		"sender_address": b.SenderAddress, "sponsor_address": sponsor, "vm_error": b.VMError,
		"post_conditions": map[string]any{"mode": b.PostConditionMode, "post_conditions": b.PostConditions},
	}
}
