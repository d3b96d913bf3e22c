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
	present := c.Object(func(name []byte) {
		op.Kind = string(name)
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
	if !present || op.Kind == "" {
		return nil
	}
	return op
}

// burnchainPosition reads the member with the given name, if it belongs to a BurnchainPosition, and skips it otherwise.
func (c *cursor) burnchainPosition(name []byte, p *BurnchainPosition) {
	switch string(name) {
	case "burn_block_height":
		c.uint64(&p.BurnBlockHeight)
	case "burn_header_hash":
		c.Hash32(&p.BurnHeaderHash)
	case "burn_txid":
		c.Hash32(&p.BurnTxID)
	case "vtxindex":
		c.uint32(&p.VtxIndex)
	default:
		c.unknown(name)
	}
}

func (c *cursor) opAddress(dst *OpAddress) {
	c.Object(func(name []byte) {
		switch string(name) {
		case "address":
			c.Name(&dst.Address)
		case "address_hash_bytes":
			c.Hash20(&dst.HashBytes)
		case "address_version":
			c.uint8(&dst.Version)
		default:
			c.unknown(name)
		}
	})
}

func (c *cursor) transferSTXOp() *TransferSTXOp {
	op := &TransferSTXOp{}
	c.Object(func(name []byte) {
		switch string(name) {
		case "sender":
			c.opAddress(&op.Sender)
		case "recipient":
			c.opAddress(&op.Recipient)
		case "transfered_ustx":
			op.Amount = c.big(u256Bits)
		case "memo":
			op.Memo = c.Hex()
		default:
			c.burnchainPosition(name, &op.BurnchainPosition)
		}
	})
	return op
}

func (c *cursor) stackSTXOp() *StackSTXOp {
	op := &StackSTXOp{}
	c.Object(func(name []byte) {
		switch string(name) {
		case "sender":
			c.opAddress(&op.Sender)
		case "reward_addr":
			c.bitcoinAddress(&op.RewardAddress)
		case "stacked_ustx":
			op.Amount = c.big(u256Bits)
		case "num_cycles":
			c.uint8(&op.NumCycles)
		case "signer_key":
			op.SignerKey = c.Hex()
		case "max_amount":
			op.MaxAmount = c.big(u256Bits)
		case "auth_id":
			op.AuthID = jsoncursor.Optional(c.uint32)
		default:
			c.burnchainPosition(name, &op.BurnchainPosition)
		}
	})
	return op
}

func (c *cursor) delegateSTXOp() *DelegateSTXOp {
	op := &DelegateSTXOp{}
	c.Object(func(name []byte) {
		switch string(name) {
		case "sender":
			c.opAddress(&op.Sender)
		case "delegate_to":
			c.opAddress(&op.DelegateTo)
		case "delegated_ustx":
			op.Amount = c.big(u256Bits)
		case "reward_addr":
			c.rewardOutput(op)
		case "until_burn_height":
			op.UntilBurnHeight = jsoncursor.Optional(c.uint64)
		default:
			c.burnchainPosition(name, &op.BurnchainPosition)
		}
	})
	return op
}

// rewardOutput reads an array of an output index and a Bitcoin address.
func (c *cursor) rewardOutput(op *DelegateSTXOp) {
	count := 0
	present := c.Array(func() {
		switch count++; count {
		case 1:
			c.uint32(&op.RewardOutput)
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
	c.Object(func(name []byte) {
		switch string(name) {
		case "sender":
			c.opAddress(&op.Sender)
		case "aggregate_key":
			op.AggregateKey = c.Hex()
		case "reward_cycle":
			c.uint64(&op.RewardCycle)
		case "round":
			c.uint32(&op.Round)
		case "signer_index":
			c.uint16(&op.SignerIndex)
		case "signer_key":
			op.SignerKey = c.Hex()
		default:
			c.burnchainPosition(name, &op.BurnchainPosition)
		}
	})
	return op
}
