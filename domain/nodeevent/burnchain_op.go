package nodeevent

import (
	"encoding/json"
	"math/big"

	"strata/domain/hash"
)

// BurnchainOp is an operation that came from Bitcoin and was executed as a transaction. Exactly one of the pointers is
// set, or none for a kind that is not known; Raw is set in either case. Nodes before 2.1 send none at all: then the
// events of the transaction are all there is.
//
// Fields that are missing are zero or nil. Amounts may be a little above 2^128-1, see the package comment.
type BurnchainOp struct {
	Kind                string // the member's name, such as "stack_stx"
	TransferSTX         *TransferSTXOp
	StackSTX            *StackSTXOp
	DelegateSTX         *DelegateSTXOp
	VoteForAggregateKey *VoteForAggregateKeyOp
	Raw                 json.RawMessage // the JSON of the operation
}

// BurnchainPlace is where on Bitcoin an operation is.
type BurnchainPlace struct {
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
	BurnchainPlace
	Sender, Recipient OpAddress
	Amount            *big.Int // micro-STX, transfered_ustx
	Memo              []byte
}

// StackSTXOp locks STX for stacking.
type StackSTXOp struct {
	BurnchainPlace
	Sender        OpAddress
	RewardAddress BitcoinAddress
	Amount        *big.Int // micro-STX, stacked_ustx
	NumCycles     uint8
	SignerKey     []byte   // pox-4 only
	MaxAmount     *big.Int // pox-4 only
	AuthID        *uint32  // pox-4 only
}

// DelegateSTXOp allows another address to stack.
type DelegateSTXOp struct {
	BurnchainPlace
	Sender, DelegateTo OpAddress
	Amount             *big.Int // micro-STX, delegated_ustx
	RewardAddress      *BitcoinAddress
	RewardOutput       uint32 // output index that goes with RewardAddress
	UntilBurnHeight    *uint64
}

// VoteForAggregateKeyOp is a signer's vote.
type VoteForAggregateKeyOp struct {
	BurnchainPlace
	Sender       OpAddress
	AggregateKey []byte
	RewardCycle  uint64
	Round        uint32
	SignerIndex  uint16
	SignerKey    []byte
}

func (c *cursor) burnchainOp() *BurnchainOp {
	op := &BurnchainOp{}
	present := c.object(func(name []byte) {
		op.Kind = string(name)
		start := c.dec.InputOffset()
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
			c.skip()
		}
		op.Raw = c.since(start)
	})
	if !present || op.Kind == "" {
		return nil
	}
	return op
}

func (c *cursor) place(name []byte, p *BurnchainPlace) {
	switch string(name) {
	case "burn_block_height":
		c.uint64(&p.BurnBlockHeight)
	case "burn_header_hash":
		c.hash32(&p.BurnHeaderHash)
	case "burn_txid":
		c.hash32(&p.BurnTxID)
	case "vtxindex":
		c.uint32(&p.VtxIndex)
	default:
		c.skip()
	}
}

func (c *cursor) opAddress(dst *OpAddress) {
	c.object(func(name []byte) {
		switch string(name) {
		case "address":
			c.name(&dst.Address)
		case "address_hash_bytes":
			c.hash20(&dst.HashBytes)
		case "address_version":
			c.uint8(&dst.Version)
		default:
			c.skip()
		}
	})
}

func (c *cursor) transferSTXOp() *TransferSTXOp {
	op := &TransferSTXOp{}
	c.object(func(name []byte) {
		switch string(name) {
		case "sender":
			c.opAddress(&op.Sender)
		case "recipient":
			c.opAddress(&op.Recipient)
		case "transfered_ustx":
			op.Amount = c.big(u256Bits)
		case "memo":
			op.Memo = c.bytes()
		default:
			c.place(name, &op.BurnchainPlace)
		}
	})
	return op
}

func (c *cursor) stackSTXOp() *StackSTXOp {
	op := &StackSTXOp{}
	c.object(func(name []byte) {
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
			op.SignerKey = c.bytes()
		case "max_amount":
			op.MaxAmount = c.big(u256Bits)
		case "auth_id":
			op.AuthID = c.uint32Pointer()
		default:
			c.place(name, &op.BurnchainPlace)
		}
	})
	return op
}

func (c *cursor) delegateSTXOp() *DelegateSTXOp {
	op := &DelegateSTXOp{}
	c.object(func(name []byte) {
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
			op.UntilBurnHeight = c.uint64Pointer()
		default:
			c.place(name, &op.BurnchainPlace)
		}
	})
	return op
}

// rewardOutput reads [output index, Bitcoin address].
func (c *cursor) rewardOutput(op *DelegateSTXOp) {
	i := 0
	present := c.array(func() {
		switch i++; i {
		case 1:
			c.uint32(&op.RewardOutput)
		case 2:
			op.RewardAddress = &BitcoinAddress{}
			c.bitcoinAddress(op.RewardAddress)
		default:
			c.skip()
		}
	})
	if present && i != 2 {
		c.fail(&FieldError{Path: c.here(), Want: "an output index and an address", Got: "another number of elements"})
	}
}

func (c *cursor) voteForAggregateKeyOp() *VoteForAggregateKeyOp {
	op := &VoteForAggregateKeyOp{}
	c.object(func(name []byte) {
		switch string(name) {
		case "sender":
			c.opAddress(&op.Sender)
		case "aggregate_key":
			op.AggregateKey = c.bytes()
		case "reward_cycle":
			c.uint64(&op.RewardCycle)
		case "round":
			c.uint32(&op.Round)
		case "signer_index":
			c.uint16(&op.SignerIndex)
		case "signer_key":
			op.SignerKey = c.bytes()
		default:
			c.place(name, &op.BurnchainPlace)
		}
	})
	return op
}
