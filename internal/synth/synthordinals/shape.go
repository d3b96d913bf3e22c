package synthordinals

// Shape is the form in which an indexer writes payloads, which changed over the years. The first group of fields, the
// wording, only changes how the same thing is written. The others change the contents, and so what is expected.
type Shape struct {
	Hex         HexForm
	Sorted      bool // members are in the order of their names, as in maps, not in the order of declaration
	PlainNumber bool // one number instead of two if both are equal
	Negative    bool // amounts that are sent have a minus

	Parents    bool // a list of all parents instead of only the first one
	Charms     CharmsForm
	Curses     CurseForm
	EmptyTexts bool // "" instead of null for no text, also in inscriber_address
	LowerTicks bool // BRC-20 ticks are in lower case, not as inscribed
	BurntValue bool // an output without address has its value, not 0
	Unbound    bool // unbound inscriptions are numbered and at the null outpoint, not in the coinbase transaction
}

// HexForm decides which hex has the prefix 0x.
type HexForm uint8

// The forms of hex.
const (
	HexPrefixed   HexForm = iota // hashes and contents
	HexEverywhere                // also satpoints
	HexBare                      // none
)

// CharmsForm is the form of charms.
type CharmsForm uint8

// The forms of charms.
const (
	CharmsAbsent CharmsForm = iota
	CharmsBits              // a number
	CharmsObject            // a boolean for each
)

// CurseForm is the form of curses.
type CurseForm uint8

// The forms of curses.
const (
	CurseWords   CurseForm = iota
	CurseGeneric           // Generic for all, as in replays
	CurseOld               // texts, numbers and objects of the first years
)

// OldShape returns the shape of the first years.
func OldShape() Shape {
	return Shape{Hex: HexEverywhere, PlainNumber: true, EmptyTexts: true, Curses: CurseOld, LowerTicks: true}
}

// NewestShape returns the shape of the last chainhook that had a feed.
func NewestShape() Shape {
	return Shape{Parents: true, Charms: CharmsBits, Negative: true, LowerTicks: true, BurntValue: true, Unbound: true}
}

// Shapes returns the known shapes, and some mixtures.
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
