package rosetta

import (
	"context"
	"encoding/hex"
	"strings"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
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
	switch {
	case !c.Legacy && t.Shown != nil:
		shown.Metadata = newTransactionMetadata(t)
	case t.Memo != nil:
		shown.Metadata = memoMetadata{*t.Memo}
	}
	return shown
}

// memoMetadata is what the legacy dialect says of a transaction.
type memoMetadata struct {
	Memo string `json:"memo"`
}

// executionCost is what a transaction cost to execute.
type executionCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"`
	Runtime     int64 `json:"runtime"`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"`
}

// transactionMetadata is what the mesh dialect says of a transaction. Its members are in the order of the alphabet, like
// those of all metadata.
type transactionMetadata struct {
	Canonical      bool              `json:"canonical"`
	ExecutionCost  executionCost     `json:"execution_cost"`
	FeeRate        schema.Amount     `json:"fee_rate"`
	Memo           *string           `json:"memo,omitempty"`
	Nonce          uint64            `json:"nonce"`
	Position       position          `json:"position"`
	PostConditions postConditions    `json:"post_conditions"`
	RawTx          string            `json:"raw_tx"`
	Result         view.ClarityValue `json:"result"`
	SenderAddress  string            `json:"sender_address"`
	SponsorAddress *string           `json:"sponsor_address"`
	Sponsored      bool              `json:"sponsored"`
	Status         string            `json:"status"`
	Type           string            `json:"type"`
	VMError        *string           `json:"vm_error"`
}

type position struct {
	Index int32 `json:"index"`
}

type postConditions struct {
	Mode           string `json:"mode"`
	PostConditions any    `json:"post_conditions"`
}

func newTransactionMetadata(t *ledger.Transaction) *transactionMetadata {
	b := t.Shown
	m := &transactionMetadata{
		Canonical:     b.Canonical,
		ExecutionCost: executionCost{b.CostReadCount, b.CostReadLength, b.CostRuntime, b.CostWriteCount, b.CostWriteLength},
		FeeRate:       b.FeeRate, Memo: t.Memo, Nonce: b.Nonce, Position: position{b.TxIndex},
		PostConditions: postConditions{b.PostConditionMode, b.PostConditions}, RawTx: "0x" + hex.EncodeToString(t.Raw), Result: b.TxResult,
		SenderAddress: b.SenderAddress, Sponsored: b.Sponsored, Status: b.TxStatus, Type: b.TxType, VMError: b.VMError,
	}
	if b.SponsorAddress != "" {
		m.SponsorAddress = &b.SponsorAddress
	}
	return m
}
