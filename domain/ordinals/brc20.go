package ordinals

import (
	"math/big"
	"strings"
)

// BRC20Kind is what a BRC-20 operation does.
type BRC20Kind string

// Kinds of BRC-20 operations.
const (
	BRC20KindDeploy       BRC20Kind = "deploy"
	BRC20KindMint         BRC20Kind = "mint"
	BRC20KindTransfer     BRC20Kind = "transfer" // inscribes an amount, to be sent later
	BRC20KindTransferSend BRC20Kind = "transfer_send"
)

// BRC20Operation is what a transaction does with a BRC-20 token, already checked by the indexer. All amounts are in
// units of 10^-18: see [ParseAmount].
type BRC20Operation struct {
	Pointer       string // JSON pointer, such as /apply/0/transactions/3/metadata/brc20_operation
	Kind          BRC20Kind
	Tick          string // as it came, which need not be how another operation writes it: see Ticker
	InscriptionID InscriptionID
	// Address of who deploys, mints, inscribes a transfer, or sends one.
	Address string
	// Receiver of a transfer_send: the sender if it was spent in fees, empty if it was burnt.
	Receiver string
	// Amount of all kinds but a deploy. That of a transfer_send is positive, though some feeds have it negative.
	Amount *big.Int
	Deploy *BRC20Deploy // nil for the other kinds
}

// BRC20Deploy is what a deploy says about its token.
type BRC20Deploy struct {
	Max      *big.Int // may be 0 when SelfMint
	Limit    *big.Int // of a mint; nil for none
	Decimals uint8    // 0 to 18
	SelfMint bool     // only who deployed may mint
}

// Ticker is what tells tokens apart: the tick in lower case.
func (o *BRC20Operation) Ticker() string { return strings.ToLower(o.Tick) }

// brc20Operation reads an object with exactly one member; nil for null.
func (c *cursor) brc20Operation(pointer string) *BRC20Operation {
	var deploy, mint, transfer, send *BRC20Operation
	if !c.object(func(name []byte) {
		switch BRC20Kind(name) {
		case BRC20KindDeploy:
			deploy = c.brc20(BRC20KindDeploy)
		case BRC20KindMint:
			mint = c.brc20(BRC20KindMint)
		case BRC20KindTransfer:
			transfer = c.brc20(BRC20KindTransfer)
		case BRC20KindTransferSend:
			send = c.brc20(BRC20KindTransferSend)
		default:
			c.skip()
		}
	}) {
		return nil
	}
	c.needOne("one of deploy, mint, transfer and transfer_send", deploy != nil, mint != nil, transfer != nil, send != nil)
	for _, o := range []*BRC20Operation{deploy, mint, transfer, send} {
		if o != nil {
			o.Pointer = pointer
			return o
		}
	}
	return nil
}

func (c *cursor) brc20(kind BRC20Kind) *BRC20Operation {
	isDeploy, isSend := kind == BRC20KindDeploy, kind == BRC20KindTransferSend
	o, d := &BRC20Operation{Kind: kind}, &BRC20Deploy{}
	sender := "address"
	if isSend {
		sender = "sender_address"
	}
	var tick, id, address, receiver, decimals bool
	if !c.object(func(name []byte) {
		switch member := string(name); {
		case member == "tick":
			tick = c.name(&o.Tick)
		case member == "inscription_id":
			id = c.inscriptionID(&o.InscriptionID)
		case member == sender:
			address = c.name(&o.Address)
		case member == "receiver_address" && isSend:
			receiver = c.name(&o.Receiver)
		case member == "amt" && !isDeploy:
			o.Amount = c.amount(isSend)
		case member == "max" && isDeploy:
			d.Max = c.amount(false)
		case member == "lim" && isDeploy:
			d.Limit = c.amount(false)
		case member == "dec" && isDeploy:
			decimals = c.decimals(&d.Decimals)
		case member == "self_mint" && isDeploy:
			c.bool(&d.SelfMint)
		default:
			c.skip()
		}
	}) {
		return nil
	}
	c.need(tick, "tick", "a string")
	c.need(id, "inscription_id", "an inscription id")
	c.need(address, sender, "an address")
	c.need(receiver || !isSend, "receiver_address", "an address")
	c.need(o.Amount != nil || isDeploy, "amt", wantAmount)
	if isDeploy {
		c.need(d.Max != nil, "max", wantAmount)
		c.need(decimals, "dec", wantDecimals)
		o.Deploy = d
	}
	return o
}

const (
	wantAmount   = "a decimal string"
	wantDecimals = "a number of decimals from 0 to 18"
)

// amount reads a decimal string; nil for null. With either, its sign means nothing.
func (c *cursor) amount(eitherSign bool) *big.Int {
	text, present := c.text(wantAmount)
	if !present {
		return nil
	}
	digits := string(text)
	if eitherSign {
		digits = strings.TrimPrefix(digits, "-")
	}
	units, err := ParseAmount(digits)
	if err != nil {
		c.wrong(wantAmount, text, ErrAmount)
		return nil
	}
	return units
}

func (c *cursor) decimals(dst *uint8) (present bool) {
	text, present := c.digits(wantDecimals)
	if !present {
		return false
	}
	n, ok := parseDigits(text, 8)
	if !ok || n > AmountDecimals {
		c.wrong(wantDecimals, text, nil)
		return false
	}
	*dst = uint8(n)
	return true
}
