package synthordinals

import (
	"encoding/json"
	"math/big"
	"strconv"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/internal/synth/undo"
)

// block is a Bitcoin block and what it did on its branch. What it says never changes, only the bookkeeping
// at its end does.
type block struct {
	height       uint64
	hash         hash.Hash32
	parentHash   hash.Hash32
	time         uint32
	shape        Shape
	coinbase     hash.Hash32 // its transaction
	transactions []*transaction

	mined   []mined       // what to do again when the block returns; nil when it is final
	changes []undo.Change // of the world; nil if the block is final, or not on the branch
	on      bool          // the branch
	applied bool          // by the posts that were handed out
}

// mined is a transaction with its position in the block.
type mined struct {
	plan  *plan
	index uint32
}

// transaction is what the feed tells of a plan that was mined.
type transaction struct {
	id      hash.Hash32
	index   uint32
	fee     uint64
	reveals []*reveal
	moves   []*move
	token   *tokenOperation // nil for none
}

// reveal is the birth of an inscription.
type reveal struct {
	*envelope
	id      ordinals.InscriptionID
	number  ordinals.InscriptionNumber
	sat     ordinals.Sat
	hops    uint64 // moves of the sat before
	curse   curse  // none is empty
	again   bool   // there was an inscription on the sat
	unbound uint64 // which unbound inscription it is, if it is one
	to      place
}

// move is that of an inscribed sat.
type move struct {
	sat      ordinals.Sat
	from, to place
}

// place is where a sat is.
type place struct {
	at      outpoint
	offset  uint64
	kind    ordinals.LocationType
	address string // of who can move it; only Transferred has one
	script  string // of what is Burnt
	value   uint64 // of the output; 0 for SpentInFees
}

// outpoint names an output.
type outpoint struct {
	tx   hash.Hash32
	vout uint32
}

// tokenOperation is a valid BRC-20 operation. Amounts are in units of 10^-18.
type tokenOperation struct {
	kind     ordinals.BRC20Kind
	tick     string // as inscribed
	id       ordinals.InscriptionID
	address  string // who deploys, mints, inscribes or sends
	receiver string // of what is sent; empty when it was burnt
	amount   *big.Int
	deploy   *token // of a deploy
	decimals uint8  // of the token
	sat      ordinals.Sat
	to       place // of the inscription
}

func (p place) String() string {
	return p.at.String() + ":" + strconv.FormatUint(p.offset, 10)
}

func (o outpoint) String() string {
	return o.tx.String()[2:] + ":" + strconv.FormatUint(uint64(o.vout), 10)
}

// toldValue is that of the output. Some indexers have none for an output without address.
func (r *reveal) toldValue(s Shape) uint64 {
	if r.to.kind == ordinals.Burnt && !s.BurntValue {
		return 0
	}
	return r.to.value
}

// toldAddress is the inscriber's.
func (r *reveal) toldAddress(s Shape) *string {
	if r.to.address == "" && !s.EmptyTexts {
		return nil
	}
	return &r.to.address
}

// toldParents are all of them where there is a list.
func (r *reveal) toldParents(s Shape) []ordinals.InscriptionID {
	if !s.Parents && len(r.parents) > 1 {
		return r.parents[:1]
	}
	return r.parents
}

// toldCharms are those that the protocol gives.
func (r *reveal) toldCharms(height uint64, network ordinals.Network) ordinals.Charms {
	charms := r.blessing(height, network)
	if r.onNoSat {
		return charms | ordinals.CharmUnbound
	}
	charms |= r.sat.Charms()
	if r.again {
		charms |= ordinals.CharmReinscription
	}
	if r.to.kind == ordinals.Burnt {
		charms |= ordinals.CharmBurned
	}
	return charms
}

// derivedCharms are those that a reader of a feed without charms comes to.
func (r *reveal) derivedCharms(s Shape, height uint64, network ordinals.Network) ordinals.Charms {
	charms := r.blessing(height, network) | r.sat.Charms()
	if shown := r.curse.shown(s); shown != nil && *shown == "reinscription" {
		charms |= ordinals.CharmReinscription
	}
	switch r.to.kind {
	case ordinals.SpentInFees:
		charms |= ordinals.CharmUnbound
	case ordinals.Burnt:
		charms |= ordinals.CharmBurned
	}
	return charms
}

// blessing is the charm of an inscription that is cursed, or would have been before the jubilee.
func (r *reveal) blessing(height uint64, network ordinals.Network) ordinals.Charms {
	switch {
	case r.curse == "":
		return 0
	case height < network.JubileeHeight():
		return ordinals.CharmCursed
	}
	return ordinals.CharmVindicated
}

// toldTick is that of a BRC-20 operation.
func (o *tokenOperation) toldTick(s Shape) string {
	if s.LowerTicks {
		return ticker(o.tick)
	}
	return o.tick
}

// metadata of an inscription.
type metadata struct {
	told  json.RawMessage // nil for none
	shown json.RawMessage // nil for what counts as none
}
