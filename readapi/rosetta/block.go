package rosetta

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/dialect"
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

// blockAnswer is a wire.BlockAnswer that is made while it is written, transaction by transaction: all of them together
// would take several times the memory of their text.
type blockAnswer struct {
	*call
	block *ledger.Block
}

// AppendJSON implements wire.Appender.
func (a *blockAnswer) AppendJSON(b []byte) ([]byte, error) {
	answer := wire.BlockAnswer{Block: wire.Block{
		BlockIdentifier: a.BlockIdentifier(a.block.ID), ParentBlockIdentifier: a.BlockIdentifier(a.block.Parent), Timestamp: a.block.Time,
		Metadata: a.blockMetadata(a.block),
	}}
	for _, other := range a.block.Others {
		answer.Others = append(answer.Others, wire.TransactionIdentifier{Hash: other})
	}
	var buffer dialect.OperationBuffer
	return answer.AppendJSON(b, len(a.block.Transactions), func(i int) *wire.Transaction {
		shown := a.transactionOn(&buffer, &a.block.Transactions[i])
		return &shown
	})
}

func (c *call) block(ctx context.Context, in *wire.BlockRequest) (answer *blockAnswer, err error) {
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
		answer = &blockAnswer{c, block}
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
	return c.transactionOn(new(dialect.OperationBuffer), t)
}

// transactionOn is transaction with room for its operations.
func (c *call) transactionOn(buffer *dialect.OperationBuffer, t *ledger.Transaction) wire.Transaction {
	shown := wire.Transaction{TransactionIdentifier: wire.TransactionIdentifier{Hash: t.Hash}, Operations: c.AppendOperations(buffer, t.Hash, t.Operations)}
	switch {
	case !c.Legacy && t.Row != nil:
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

// transactionMetadata is what the mesh dialect says of a transaction. Its members are in the order of the alphabet, like
// those of all metadata.
type transactionMetadata struct {
	Canonical      bool              `json:"canonical"`
	ExecutionCost  view.Cost         `json:"execution_cost"`
	FeeRate        schema.Amount     `json:"fee_rate"`
	Memo           *string           `json:"memo,omitempty"`
	Nonce          uint64            `json:"nonce"`
	Position       position          `json:"position"`
	PostConditions postConditions    `json:"post_conditions"`
	RawTx          hexBytes          `json:"raw_tx"`
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
	// none is set if PostConditions is an empty list.
	none bool
}

// hexBytes is bytes as a JSON string of hex with 0x.
type hexBytes []byte

// MarshalText implements encoding.TextMarshaler.
func (b hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode([]byte("0x"), b), nil }

func newTransactionMetadata(t *ledger.Transaction) *transactionMetadata {
	base := t.Row.Base()
	m := &transactionMetadata{
		Canonical: t.Row.Canonical, ExecutionCost: t.Row.Cost(), FeeRate: base.FeeRate, Memo: t.Memo, Nonce: base.Nonce, Position: position{t.Row.Index},
		PostConditions: postConditions{base.PostConditionMode, base.PostConditions, len(base.PostConditions) == 0}, RawTx: t.Row.RawTx, Result: t.Row.Result(),
		SenderAddress: base.SenderAddress, Sponsored: base.Sponsored, Status: t.Row.Status, Type: transaction.TxType(t.Row.Tx.Payload), VMError: t.Row.VMError(),
	}
	if base.SponsorAddress != "" {
		m.SponsorAddress = &base.SponsorAddress
	}
	return m
}

// AppendJSON implements wire.Appender.
func (m *transactionMetadata) AppendJSON(b []byte) (_ []byte, err error) {
	text := func(before, value string) { b = wire.AppendText(append(b, before...), value) }
	number := func(before string, value int64) { b = strconv.AppendInt(append(b, before...), value, 10) }
	b = strconv.AppendBool(append(b, `{"canonical":`...), m.Canonical)
	number(`,"execution_cost":{"read_count":`, m.ExecutionCost.ReadCount)
	number(`,"read_length":`, m.ExecutionCost.ReadLength)
	number(`,"runtime":`, m.ExecutionCost.Runtime)
	number(`,"write_count":`, m.ExecutionCost.WriteCount)
	number(`,"write_length":`, m.ExecutionCost.WriteLength)
	text(`},"fee_rate":`, string(m.FeeRate))
	if m.Memo != nil {
		text(`,"memo":`, *m.Memo)
	}
	b = strconv.AppendUint(append(b, `,"nonce":`...), m.Nonce, 10)
	number(`,"position":{"index":`, int64(m.Position.Index))
	text(`},"post_conditions":{"mode":`, m.PostConditions.Mode)
	b = append(b, `,"post_conditions":`...)
	if m.PostConditions.none {
		b = append(b, `[]`...)
	} else if b, err = wire.AppendAny(b, m.PostConditions.PostConditions); err != nil {
		return nil, err
	}
	b = hex.AppendEncode(append(b, `},"raw_tx":"0x`...), m.RawTx)
	text(`","result":{"hex":`, string(m.Result.Hex))
	text(`,"repr":`, m.Result.Repr)
	text(`},"sender_address":`, m.SenderAddress)
	if b, err = wire.AppendAny(append(b, `,"sponsor_address":`...), m.SponsorAddress); err != nil {
		return nil, err
	}
	b = strconv.AppendBool(append(b, `,"sponsored":`...), m.Sponsored)
	text(`,"status":`, m.Status)
	text(`,"type":`, m.Type)
	if b, err = wire.AppendAny(append(b, `,"vm_error":`...), m.VMError); err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}
