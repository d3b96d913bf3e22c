package synthordinals

import (
	"encoding/json"
	"math/big"
	"strconv"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/internal/synth/undo"
)

// block is a Bitcoin block with its effects on its branch. Its contents never change, only the fields after transactions
// do.
type block struct {
	height       uint64
	hash         hash.Hash32
	parentHash   hash.Hash32
	time         uint32
	shape        Shape
	coinbase     hash.Hash32 // its transaction
	transactions []*transaction

	mined    []minedPlan   // repeated if the block returns; nil if the block is final
	changes  []undo.Change // of the world; nil if the block is final, or not on the branch
	onBranch bool          // whether the block is on the branch
	applied  bool          // by the posts that were handed out
}

// minedPlan is a plan with its position in the block.
type minedPlan struct {
	plan  *plan
	index uint32
}

// transaction is a mined plan in the form of the feed.
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
	curse   curse  // empty for none
	again   bool   // the sat was inscribed before
	unbound uint64 // number among the unbound inscriptions, if it is one
	to      place
}

// move is the move of an inscribed sat.
type move struct {
	sat      ordinals.Sat
	from, to place
}

// place is the place of a sat.
type place struct {
	at      outpoint
	offset  uint64
	kind    ordinals.LocationType
	address string // of the owner; only for Transferred
	script  string // only for Burnt
	value   uint64 // of the output; 0 for SpentInFees
}

// outpoint identifies an output.
type outpoint struct {
	tx   hash.Hash32
	vout uint32
}

// tokenOperation is a valid BRC-20 operation. Amounts are in units of 10^-18.
type tokenOperation struct {
	kind     ordinals.BRC20Kind
	tick     string // as inscribed
	id       ordinals.InscriptionID
	address  string // deploys, mints, inscribes or sends
	receiver string // of a sent amount; empty if it was burnt
	amount   *big.Int
	deploy   *token // only for a deploy
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

// postedValue returns the value of the output. Some indexers post 0 for an output without address.
func (r *reveal) postedValue(s Shape) uint64 {
	if r.to.kind == ordinals.Burnt && !s.BurntValue {
		return 0
	}
	return r.to.value
}

// postedAddress returns the inscriber's address.
func (r *reveal) postedAddress(s Shape) *string {
	if r.to.address == "" && !s.EmptyTexts {
		return nil
	}
	return &r.to.address
}

// postedParents returns all parents, or only the first one if the shape has no list of parents.
func (r *reveal) postedParents(s Shape) []ordinals.InscriptionID {
	if !s.Parents && len(r.parents) > 1 {
		return r.parents[:1]
	}
	return r.parents
}

// postedCharms returns the charms according to the protocol.
func (r *reveal) postedCharms(height uint64, network ordinals.Network) ordinals.Charms {
	return r.charms(height, network, r.onNoSat, r.again)
}

// unboundInscription reports whether readers find that the inscription is on no sat.
func (r *reveal) unboundInscription(s Shape) bool {
	curse := r.curse.display(s)
	return r.onNoSat || curse != nil && *curse == wordings[curseUnevenField].display
}

// derivedCharms returns the charms that a reader derives from a feed without charms.
func (r *reveal) derivedCharms(s Shape, height uint64, network ordinals.Network) ordinals.Charms {
	curse := r.curse.display(s)
	return r.charms(height, network, r.unboundInscription(s), curse != nil && *curse == "reinscription")
}

func (r *reveal) charms(height uint64, network ordinals.Network, unbound, again bool) (charms ordinals.Charms) {
	switch {
	case r.curse == "":
	case height < network.JubileeHeight():
		charms = ordinals.CharmCursed
	default:
		charms = ordinals.CharmVindicated
	}
	if unbound {
		return charms | ordinals.CharmUnbound
	}
	if again {
		charms |= ordinals.CharmReinscription
	}
	if r.to.kind == ordinals.Burnt {
		charms |= ordinals.CharmBurned
	}
	return charms | r.sat.Charms()
}

// postedTick returns the tick in the form of the shape.
func (o *tokenOperation) postedTick(s Shape) string {
	if s.LowerTicks {
		return ticker(o.tick)
	}
	return o.tick
}

// metadata is the metadata of an inscription.
type metadata struct {
	posted  json.RawMessage // nil for none
	display json.RawMessage // as readers see it; nil also for values that count as none
}
