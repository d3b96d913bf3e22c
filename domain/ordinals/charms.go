package ordinals

import "math/bits"

// Charms is a set of charms, one bit each, as ord numbers them. Bits without a name are kept and not shown.
type Charms uint16

// The charms.
const (
	CharmCoin Charms = 1 << iota
	CharmCursed
	CharmEpic
	CharmLegendary
	CharmLost
	CharmNineball
	CharmRare
	CharmReinscription
	CharmUnbound
	CharmUncommon
	CharmVindicated
	CharmMythic
	CharmBurned
	CharmPalindrome
)

var charmNames = [...]string{
	"coin", "cursed", "epic", "legendary", "lost", "nineball", "rare", "reinscription", "unbound", "uncommon",
	"vindicated", "mythic", "burned", "palindrome",
}

// charmNamed is the charm of a name, and none for a name that is not known.
func charmNamed(name []byte) Charms {
	for bit, known := range charmNames {
		if known == string(name) {
			return 1 << bit
		}
	}
	return 0
}

// Has reports whether all of some charms are in the set.
func (c Charms) Has(some Charms) bool { return c&some == some }

// Names are those of the charms in the order of their bits; empty, not nil, for none.
func (c Charms) Names() []string {
	names := make([]string, 0, bits.OnesCount16(uint16(c)))
	for bit, name := range charmNames {
		if c.Has(1 << bit) {
			names = append(names, name)
		}
	}
	return names
}

// Charms are those that follow from the number of the sat alone.
func (s Sat) Charms() Charms {
	const coin = 100_000_000 // sats in a bitcoin
	charms := [...]Charms{0, CharmUncommon, CharmRare, CharmEpic, CharmLegendary, CharmMythic}[s.Rarity()]
	if s%coin == 0 {
		charms |= CharmCoin
	}
	if s.CoinbaseHeight() == 9 {
		charms |= CharmNineball // mined in block 9, the oldest block that was ever spent from
	}
	if s.palindrome() {
		charms |= CharmPalindrome
	}
	return charms
}

// palindrome reports whether the decimal digits read the same backwards.
func (s Sat) palindrome() bool {
	var backwards Sat
	for left := s; left > 0; left /= 10 {
		backwards = backwards*10 + left%10
	}
	return s == backwards
}
