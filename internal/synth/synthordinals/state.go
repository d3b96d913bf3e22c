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

// Location is the place of a sat since a transaction. (Height, TxIndex) orders the locations of one sat.
type Location struct {
	Height    uint64
	BlockHash hash.Hash32
	Time      uint32 // of the block, seconds since 1970
	TxIndex   uint32
	TxID      hash.Hash32 // the transaction that moved the sat, which is not always the one of the output
	Type      ordinals.LocationType
	Output    string  // txid:vout
	Offset    *uint64 // nil if the feed does not tell that of an unbound inscription
	Address   *string // of the owner; nil for none, but a reveal without address may have ""
	Value     *uint64 // of the output in sats; nil if the feed has none
}

// Inscription is the state of an inscription.
type Inscription struct {
	ID            ordinals.InscriptionID
	Number        int64 // the jubilee number, which readers see
	ClassicNumber int64
	Unbound       bool // on no sat: it never moves, and Sat and Rarity say nothing
	Sat           ordinals.Sat
	Rarity        ordinals.Rarity

	Genesis Location // Address is the inscriber's
	Fee     uint64   // of the transaction, in sats
	Current Location

	Content       []byte
	ContentType   string // without NULs
	MimeType      string
	Metadata      json.RawMessage // nil also for values that count as none
	Metaprotocol  string          // empty for none
	Delegate      ordinals.InscriptionID
	Parents       []ordinals.InscriptionID
	RecursionRefs []ordinals.InscriptionID // in the order of the content
	Curse         *string                  // nil for none
	Charms        []string                 // in the order of their bits, as of the reveal
}

// Recursive reports whether the content refers to other inscriptions.
func (i *Inscription) Recursive() bool { return len(i.RecursionRefs) > 0 }

// Cursed reports whether the number is below zero.
func (i *Inscription) Cursed() bool { return i.Number < 0 }

// Holding names a BRC-20 token, by its tick in lower case, and an owner.
type Holding struct{ Ticker, Address string }

// Balance is a balance of a BRC-20 token in units of 10^-18.
type Balance struct {
	Available     *big.Int
	Transferrable *big.Int // inscribed but not yet sent
}

// Total returns the whole balance.
func (b Balance) Total() *big.Int { return new(big.Int).Add(b.Available, b.Transferrable) }

// Token is a BRC-20 token. Amounts are in units of 10^-18.
type Token struct {
	Ticker   string // in lower case
	Tick     string // as posted
	ID       ordinals.InscriptionID
	Number   int64
	Height   uint64
	TxID     hash.Hash32
	TxIndex  uint32
	Time     uint32 // seconds since 1970
	Address  string
	Max      *big.Int // 0 for unlimited
	Limit    *big.Int // of one mint
	Decimals uint8
	SelfMint bool
	Minted   *big.Int
	Burnt    *big.Int // sent to nobody, so it is in no balance
	TxCount  int      // operations, including the deploy
	Holders  int      // addresses with a positive balance
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
	Address  string   // deploys, mints, inscribes or sends
	Receiver string   // of a transfer_send; empty if the amount was burnt
	Amount   *big.Int // in units of 10^-18; nil for a deploy
}

// State is the true state after the canonical blocks. Maps have no entries for zeros and for what is empty.
type State struct {
	Blocks       []Block // by height
	Inscriptions map[ordinals.InscriptionID]*Inscription
	// Locations has the locations of each sat, oldest first, without those of unbound inscriptions.
	Locations map[ordinals.Sat][]Location
	// Transfers counts the moves of inscriptions at each height. A reveal on a sat moves its older inscriptions.
	Transfers map[uint64]int
	Tokens    map[string]*Token // by ticker
	Balances  map[Holding]Balance
	Activity  []Activity // oldest first
}

// Tip returns the highest canonical block; false for none.
func (s *State) Tip() (Block, bool) {
	if len(s.Blocks) == 0 {
		return Block{}, false
	}
	return s.Blocks[len(s.Blocks)-1], true
}

// Tip returns the Tip of Expected, at far less cost.
func (f *Feed) Tip() (Block, bool) {
	if len(f.canonical) == 0 {
		return Block{}, false
	}
	return f.canonical[len(f.canonical)-1].public(), true
}

func (b *block) public() Block {
	public := Block{Height: b.height, Hash: b.hash, Time: b.time}
	for _, t := range b.transactions {
		public.Reveals += len(t.reveals)
	}
	return public
}

// Addresses returns the addresses that own inscriptions.
func (f *Feed) Addresses() []string { return append([]string(nil), f.addresses...) }

// Expected returns the state after the posts that were handed out so far. Contents are shared and must not be changed.
func (f *Feed) Expected() State { return fold(f.canonical, f.cfg.Network) }

// CanonicalPosts returns posts that lead to the same state when they are received alone: the canonical blocks one by
// one, as in a replay.
func (f *Feed) CanonicalPosts() []Post {
	posts := make([]Post, len(f.canonical))
	for i, b := range f.canonical {
		posts[i] = Post{Path: path, Body: f.encode(&delivery{apply: []*block{b}, uuid: f.uuid})}
	}
	return posts
}
