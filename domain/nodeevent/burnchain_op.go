package nodeevent

import (
	"encoding/json"
	"math/big"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// BurnchainOp is an operation that came from Bitcoin and was executed as a transaction. Exactly one of the pointers is
// set, or none if the kind is unknown; Raw is always set. Nodes before release 2.1 do not send it: then the events of
// the transaction are all that is known of the operation.
//
// Missing fields are zero or nil. Amounts may be slightly above 2^128-1; see the package comment.
type BurnchainOp struct {
	Kind                string // the member's name, such as "stack_stx"
	TransferSTX         *TransferSTXOp
	StackSTX            *StackSTXOp
	DelegateSTX         *DelegateSTXOp
	VoteForAggregateKey *VoteForAggregateKeyOp
	Raw                 json.RawMessage // the JSON of the operation
}

// BurnchainPosition says where on Bitcoin an operation is.
type BurnchainPosition struct {
	BurnBlockHeight uint64
	BurnHeaderHash  hash.Hash32
	BurnTxID        hash.Hash32
	VtxIndex        uint32
}

// OpAddress is a Stacks address in an operation.
type OpAddress struct {
	Address   string // c32
	HashBytes hash.Hash20
	Version   uint8
}

// TransferSTXOp moves STX.
type TransferSTXOp struct {
	BurnchainPosition
	Sender, Recipient OpAddress
	Amount            *big.Int // micro-STX, transfered_ustx
	Memo              []byte
}

// StackSTXOp locks STX for stacking.
type StackSTXOp struct {
	BurnchainPosition
	Sender        OpAddress
	RewardAddress BitcoinAddress
	Amount        *big.Int // micro-STX, stacked_ustx
	NumCycles     uint8
	SignerKey     []byte   // pox-4 only
	MaxAmount     *big.Int // micro-STX; pox-4 only
	AuthID        *uint32  // pox-4 only
}

// DelegateSTXOp allows another address to stack.
type DelegateSTXOp struct {
	BurnchainPosition
	Sender, DelegateTo OpAddress
	Amount             *big.Int // micro-STX, delegated_ustx
	RewardAddress      *BitcoinAddress
	RewardOutput       uint32 // the output index that the node pairs with RewardAddress
	UntilBurnHeight    *uint64
}

// VoteForAggregateKeyOp is a signer's vote for an aggregate public key.
type VoteForAggregateKeyOp struct {
	BurnchainPosition
	Sender       OpAddress
	AggregateKey []byte
	RewardCycle  uint64
	Round        uint32
	SignerIndex  uint16
	SignerKey    []byte
}

func (c *cursor) burnchainOp() *BurnchainOp {
	op := &BurnchainOp{}
	c.Object(func(name []byte) {
		*op = BurnchainOp{Kind: string(name)}
		afterName := c.Offset()
		switch op.Kind {
		case "transfer_stx":
			op.TransferSTX = c.transferSTXOp()
		case "stack_stx":
			op.StackSTX = c.stackSTXOp()
		case "delegate_stx":
			op.DelegateSTX = c.delegateSTXOp()
		case "vote_for_aggregate_key":
			op.VoteForAggregateKey = c.voteForAggregateKeyOp()
		default:
			c.unknown(name)
		}
		op.Raw = c.Between(afterName, c.Offset())
	})
	if op.Kind == "" {
		return nil
	}
	return op
}

// burnchainOpMembers reads an operation: its own members and those of its position.
func (c *cursor) burnchainOpMembers(p *BurnchainPosition, own ...jsoncursor.Member) {
	c.Members(append(own,
		optional("burn_block_height", &p.BurnBlockHeight),
		optional("burn_header_hash", &p.BurnHeaderHash),
		optional("burn_txid", &p.BurnTxID),
		optional("vtxindex", &p.VtxIndex),
	)...)
}

func (c *cursor) opAddress(dst *OpAddress) {
	*dst = OpAddress{}
	c.Members(
		optional("address", &dst.Address),
		optional("address_hash_bytes", &dst.HashBytes),
		optional("address_version", &dst.Version),
	)
}

func (c *cursor) transferSTXOp() *TransferSTXOp {
	op := &TransferSTXOp{}
	c.burnchainOpMembers(&op.BurnchainPosition,
		optional("sender", func() { c.opAddress(&op.Sender) }),
		optional("recipient", func() { c.opAddress(&op.Recipient) }),
		optional("transfered_ustx", func() { op.Amount = c.big(u256Bits) }),
		optional("memo", &op.Memo),
	)
	return op
}

func (c *cursor) stackSTXOp() *StackSTXOp {
	op := &StackSTXOp{}
	c.burnchainOpMembers(&op.BurnchainPosition,
		optional("sender", func() { c.opAddress(&op.Sender) }),
		optional("reward_addr", func() { c.bitcoinAddress(&op.RewardAddress) }),
		optional("stacked_ustx", func() { op.Amount = c.big(u256Bits) }),
		optional("num_cycles", &op.NumCycles),
		optional("signer_key", &op.SignerKey),
		optional("max_amount", func() { op.MaxAmount = c.big(u256Bits) }),
		optional("auth_id", &op.AuthID),
	)
	return op
}

func (c *cursor) delegateSTXOp() *DelegateSTXOp {
	op := &DelegateSTXOp{}
	c.burnchainOpMembers(&op.BurnchainPosition,
		optional("sender", func() { c.opAddress(&op.Sender) }),
		optional("delegate_to", func() { c.opAddress(&op.DelegateTo) }),
		optional("delegated_ustx", func() { op.Amount = c.big(u256Bits) }),
		optional("reward_addr", func() { c.rewardOutput(op) }),
		optional("until_burn_height", &op.UntilBurnHeight),
	)
	return op
}

// rewardOutput reads an array of an output index and a Bitcoin address.
func (c *cursor) rewardOutput(op *DelegateSTXOp) {
	op.RewardOutput, op.RewardAddress = 0, nil
	count := 0
	present := c.Array(func() {
		switch count++; count {
		case 1:
			c.Read(&op.RewardOutput)
		case 2:
			op.RewardAddress = &BitcoinAddress{}
			c.bitcoinAddress(op.RewardAddress)
		default:
			c.Skip()
		}
	})
	if present && count != 2 {
		c.WrongCount("an output index and an address", "another number of elements")
	}
}

func (c *cursor) voteForAggregateKeyOp() *VoteForAggregateKeyOp {
	op := &VoteForAggregateKeyOp{}
	c.burnchainOpMembers(&op.BurnchainPosition,
		optional("sender", func() { c.opAddress(&op.Sender) }),
		optional("aggregate_key", &op.AggregateKey),
		optional("reward_cycle", &op.RewardCycle),
		optional("round", &op.Round),
		optional("signer_index", &op.SignerIndex),
		optional("signer_key", &op.SignerKey),
	)
	return op
}
