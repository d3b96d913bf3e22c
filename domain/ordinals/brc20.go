package ordinals

import (
	"math/big"
	"strings"
)

// BRC20Kinds are the kinds of operations by the numbers under which tables store them. The number 0 is not used.
var BRC20Kinds = []BRC20Kind{1: BRC20KindDeploy, 2: BRC20KindMint, 3: BRC20KindTransfer, 4: BRC20KindTransferSend}

// BRC20Kind is what a BRC-20 operation does.
type BRC20Kind string

// Kinds of BRC-20 operations.
const (
	BRC20KindDeploy       BRC20Kind = "deploy"
	BRC20KindMint         BRC20Kind = "mint"
	BRC20KindTransfer     BRC20Kind = "transfer" // inscribes an amount, which a transfer_send sends later
	BRC20KindTransferSend BRC20Kind = "transfer_send"
)

// BRC20Operation is what a transaction does with a BRC-20 token. The indexer has already validated it. All amounts are
// in units of 10^-18: see [ParseAmount].
type BRC20Operation struct {
	Pointer       string `json:"-"` // JSON pointer, such as /apply/0/transactions/3/metadata/brc20_operation
	Kind          BRC20Kind
	Tick          string // as the feed has it; other operations may use other letter cases: see Ticker
	InscriptionID InscriptionID
	// Address that deploys, mints, inscribes a transfer, or sends one.
	Address string
	// Receiver of a transfer_send: the sender if the inscription was spent in fees, empty if it was burnt.
	Receiver string
	// Amount of every kind except a deploy. It is positive even for a transfer_send, which some feeds write as
	// negative.
	Amount *big.Int
	Deploy *BRC20Deploy // nil for other kinds
}

// BRC20Deploy describes the token that a deploy creates.
type BRC20Deploy struct {
	Max      *big.Int // maximum supply; may be 0 if SelfMint
	Limit    *big.Int // the most that one mint may create; nil for no limit
	Decimals uint8    // 0 to 18
	SelfMint bool     // only the deployer may mint
}

// Ticker returns the tick in lower case, which identifies the token.
func (o *BRC20Operation) Ticker() string { return strings.ToLower(o.Tick) }

// brc20Operation reads an object with exactly one member, whose name is the kind of the operation; nil for null.
func (c *cursor) brc20Operation(pointer string) *BRC20Operation {
	var deploy, mint, transfer, send *BRC20Operation
	if !c.Members(
		optional(string(BRC20KindDeploy), func() { deploy = c.brc20(BRC20KindDeploy) }),
		optional(string(BRC20KindMint), func() { mint = c.brc20(BRC20KindMint) }),
		optional(string(BRC20KindTransfer), func() { transfer = c.brc20(BRC20KindTransfer) }),
		optional(string(BRC20KindTransferSend), func() { send = c.brc20(BRC20KindTransferSend) }),
	) {
		return nil
	}
	c.NeedOne("one of deploy, mint, transfer and transfer_send", deploy != nil, mint != nil, transfer != nil, send != nil)
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
	if !c.Object(func(name []byte) {
		switch member := string(name); {
		case member == "tick":
			tick = c.Name(&o.Tick)
		case member == "inscription_id":
			id = c.inscriptionID(&o.InscriptionID)
		case member == sender:
			address = c.Name(&o.Address)
		case member == "receiver_address" && isSend:
			receiver = c.Name(&o.Receiver)
		case member == "amt" && !isDeploy:
			o.Amount = c.amount(isSend)
		case member == "max" && isDeploy:
			d.Max = c.amount(false)
		case member == "lim" && isDeploy:
			d.Limit = c.amount(false)
		case member == "dec" && isDeploy:
			decimals = c.decimals(&d.Decimals)
		case member == "self_mint" && isDeploy:
			c.Bool(&d.SelfMint)
		default:
			c.Skip()
		}
	}) {
		return nil
	}
	c.Need(tick, "tick", "a string")
	c.Need(id, "inscription_id", "an inscription id")
	c.Need(address, sender, "an address")
	c.Need(receiver || !isSend, "receiver_address", "an address")
	c.Need(o.Amount != nil || isDeploy, "amt", wantAmount)
	if isDeploy {
		c.Need(d.Max != nil, "max", wantAmount)
		c.Need(decimals, "dec", wantDecimals)
		o.Deploy = d
	}
	return o
}

const (
	wantAmount   = "a decimal string"
	wantDecimals = "a number of decimals from 0 to 18"
)

// amount reads a decimal string; nil for null. With ignoreSign, a minus in front of it means nothing.
func (c *cursor) amount(ignoreSign bool) *big.Int {
	text, present := c.Text(wantAmount)
	if !present {
		return nil
	}
	digits := string(text)
	if ignoreSign {
		digits = strings.TrimPrefix(digits, "-")
	}
	units, err := ParseAmount(digits)
	if err != nil {
		c.Wrong(wantAmount, text, ErrAmount)
		return nil
	}
	return units
}

func (c *cursor) decimals(dst *uint8) (present bool) {
	text, present := c.Digits(wantDecimals)
	if !present {
		return false
	}
	n, ok := parseUint(text)
	if !ok || n > AmountDecimals {
		c.Wrong(wantDecimals, text, nil)
		return false
	}
	*dst = uint8(n)
	return true
}
