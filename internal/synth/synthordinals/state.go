package synthordinals

import (
	"encoding/json"
	"math/big"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// Block is a canonical block that was sent.
type Block struct {
	Height  uint64
	Hash    hash.Hash32
	Time    uint32 // seconds since 1970
	Reveals int
}

// Location is where a sat was from some transaction on. Of one sat, (Height, TxIndex) orders them.
type Location struct {
	Height    uint64
	BlockHash hash.Hash32
	Time      uint32 // of the block, seconds since 1970
	TxIndex   uint32
	TxID      hash.Hash32 // which took it there: not always the one that the output belongs to
	Type      ordinals.LocationType
	Output    string // txid:vout
	Offset    uint64
	Address   *string // of the owner; nil for none, and for none of a reveal what was told, which may be ""
	Value     *uint64 // of the output in sats; nil when it is not told
}

// Inscription is all that is known of one.
type Inscription struct {
	ID            ordinals.InscriptionID
	Number        int64 // of the jubilee, which is the one that is shown
	ClassicNumber int64
	Sat           ordinals.Sat
	Rarity        ordinals.Rarity

	Genesis Location // Address is the inscriber's
	Fee     uint64   // of the transaction, in sats
	Current Location

	Content       []byte
	ContentType   string // without NULs
	MimeType      string
	Metadata      json.RawMessage // nil also for what counts as none
	Metaprotocol  string          // empty for none
	Delegate      ordinals.InscriptionID
	Parents       []ordinals.InscriptionID
	RecursionRefs []ordinals.InscriptionID // in the order in which the content has them
	Curse         *string                  // nil for none
	Charms        []string                 // in the order of their bits
}

// Recursive reports whether the content refers to inscriptions.
func (i *Inscription) Recursive() bool { return len(i.RecursionRefs) > 0 }

// Cursed reports whether the number is below zero.
func (i *Inscription) Cursed() bool { return i.Number < 0 }

// Transfer is the move of an inscription.
type Transfer struct {
	ID       ordinals.InscriptionID
	Number   int64
	From, To Location
}

// Counts are numbers of inscriptions by what they have in common. Nobody is not counted as owner, though "" is; neither
// is counted as inscriber.
type Counts struct {
	MimeType       map[string]int
	Rarity         map[ordinals.Rarity]int
	Address        map[string]int // current owner
	GenesisAddress map[string]int
	Recursive      int
	Cursed         int // number below zero
}

// Holding names a BRC-20 token, by its tick in lower case, and who has it.
type Holding struct{ Ticker, Address string }

// Balance of a BRC-20 token in units of 10^-18.
type Balance struct {
	Available     *big.Int
	Transferrable *big.Int // inscribed to be sent
}

// Total is all that somebody has.
func (b Balance) Total() *big.Int { return new(big.Int).Add(b.Available, b.Transferrable) }

// Token is a BRC-20 token. Amounts are in units of 10^-18.
type Token struct {
	Ticker   string // in lower case
	Tick     string // as it was told
	ID       ordinals.InscriptionID
	Number   int64
	Height   uint64
	TxID     hash.Hash32
	TxIndex  uint32
	Time     uint32 // seconds since 1970
	Address  string
	Max      *big.Int // 0 for no end
	Limit    *big.Int // of a mint
	Decimals uint8
	SelfMint bool
	Minted   *big.Int
	Burnt    *big.Int // sent to nobody, so that it is in no balance
	TxCount  int      // operations, the deploy included
	Holders  int      // addresses with more than nothing
}

// Activity is a BRC-20 operation.
type Activity struct {
	Kind     ordinals.BRC20Kind
	Ticker   string // in lower case
	ID       ordinals.InscriptionID
	Height   uint64
	Hash     hash.Hash32
	Time     uint32 // of the block, seconds since 1970
	TxID     hash.Hash32
	TxIndex  uint32
	Address  string   // who deploys, mints, inscribes or sends
	Receiver string   // of a transfer_send; empty when it was burnt
	Amount   *big.Int // in units of 10^-18; nil for a deploy
}

// State is the truth of the canonical blocks. Zeros and what is empty are left out of maps.
type State struct {
	Blocks       []Block // by height
	Inscriptions map[ordinals.InscriptionID]*Inscription
	// Locations of each sat, oldest first. Sat 0 has the unbound inscriptions.
	Locations map[ordinals.Sat][]Location
	// Transfers by height, in the order of transactions, then operations, then numbers. A reveal on a sat moves the older
	// inscriptions of it.
	Transfers map[uint64][]Transfer
	Counts    Counts
	Tokens    map[string]*Token // by ticker
	Balances  map[Holding]Balance
	Activity  []Activity // oldest first
}

// Tip is the highest canonical block; false for none.
func (s *State) Tip() (Block, bool) {
	if len(s.Blocks) == 0 {
		return Block{}, false
	}
	return s.Blocks[len(s.Blocks)-1], true
}

// Tip is Expected's tip alone, which costs far less; false for none.
func (f *Feed) Tip() (Block, bool) {
	if len(f.canonical) == 0 {
		return Block{}, false
	}
	return f.canonical[len(f.canonical)-1].told(), true
}

func (b *block) told() Block {
	told := Block{Height: b.height, Hash: b.hash, Time: b.time}
	for _, t := range b.transactions {
		told.Reveals += len(t.reveals)
	}
	return told
}

// Addresses are those that inscriptions go to.
func (f *Feed) Addresses() []string { return append([]string(nil), f.addresses...) }

// Expected is the state of what was handed out so far. Contents are shared and must not be changed.
func (f *Feed) Expected() State { return fold(f.canonical, f.cfg.Network) }

// CanonicalPosts are the posts that lead to the same state when they are received alone: the canonical blocks one by one,
// as a replay has them.
func (f *Feed) CanonicalPosts() []Post {
	posts := make([]Post, len(f.canonical))
	for i, b := range f.canonical {
		posts[i] = Post{Path: path, Body: f.encode(&delivery{apply: []*block{b}, uuid: f.uuid})}
	}
	return posts
}
