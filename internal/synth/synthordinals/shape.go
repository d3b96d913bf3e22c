package synthordinals

// Shape is how an indexer writes things, which changed over the years. The members of Shape that only change how the same
// thing is written are marked as wording; the others change what is told, so they change what is expected too.
type Shape struct {
	Hex         HexForm // wording
	Sorted      bool    // wording: members in the order of their names, as maps are written, not as declared
	PlainNumber bool    // wording: one number instead of two where both are equal
	Negative    bool    // wording: amounts that are sent have a minus

	Parents    bool // a list; without, the first one alone is told
	Charms     CharmsForm
	Curses     CurseForm
	EmptyTexts bool // "" instead of null for no text; told of inscriber_address
	LowerTicks bool // BRC-20 ticks in lower case, not as they were inscribed
	BurntValue bool // the value of an output without address is told, not 0
	Unbound    bool // unbound inscriptions are at the null outpoint and numbered, not in the coinbase transaction
}

// HexForm says where 0x is put in front.
type HexForm uint8

// Forms of hex.
const (
	HexPrefixed   HexForm = iota // hashes and contents
	HexEverywhere                // also satpoints
	HexBare                      // nowhere
)

// CharmsForm says how charms are told.
type CharmsForm uint8

// Forms of charms.
const (
	CharmsAbsent CharmsForm = iota
	CharmsBits              // a number
	CharmsObject            // a boolean for each
)

// CurseForm says how curses are told.
type CurseForm uint8

// Forms of curses.
const (
	CurseWords   CurseForm = iota
	CurseGeneric           // Generic for all, as replays have it
	CurseOld               // text, numbers and objects of the first years
)

// OldShape is that of the first years.
func OldShape() Shape {
	return Shape{Hex: HexEverywhere, PlainNumber: true, EmptyTexts: true, Curses: CurseOld, LowerTicks: true}
}

// NewestShape is that of the last chainhook that had a feed.
func NewestShape() Shape {
	return Shape{Parents: true, Charms: CharmsBits, Negative: true, LowerTicks: true, BurntValue: true, Unbound: true}
}

// Shapes are those that were seen, and some that mix them.
func Shapes() []Shape {
	return []Shape{
		OldShape(),
		NewestShape(),
		{Sorted: true, Negative: true, LowerTicks: true},                                        // SDK 0.12.10, live
		{Sorted: true, Curses: CurseGeneric},                                                    // the same, replaying
		{Parents: true, Charms: CharmsObject, Negative: true, LowerTicks: true, Unbound: true},  // its successor
		{Hex: HexBare, EmptyTexts: true, Parents: true, Charms: CharmsBits, BurntValue: true},   // as tests write it
		{Hex: HexEverywhere, Sorted: true, Parents: true, Charms: CharmsObject, Negative: true}, // a mixture
	}
}
