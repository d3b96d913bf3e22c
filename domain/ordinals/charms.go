package ordinals

import "math/bits"

// Charms is a set of charms, one bit each, with the bit numbers of ord. Unknown bits are kept, but have no names.
type Charms uint16

// The known charms.
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

// charmNamed returns the charm with the given name, or 0 for an unknown name.
func charmNamed(name []byte) Charms {
	for bit, known := range charmNames {
		if known == string(name) {
			return 1 << bit
		}
	}
	return 0
}

// Has reports whether the set has all of the given charms.
func (c Charms) Has(charms Charms) bool { return c&charms == charms }

// Names returns the names of the charms in the order of their bits; an empty slice, not nil, for none.
func (c Charms) Names() []string {
	names := make([]string, 0, bits.OnesCount16(uint16(c)))
	for bit, name := range charmNames {
		if c.Has(1 << bit) {
			names = append(names, name)
		}
	}
	return names
}

// Charms returns the charms that follow from the number of the sat alone.
func (s Sat) Charms() Charms {
	const coin = 100_000_000 // sats in a bitcoin
	charms := [...]Charms{0, CharmUncommon, CharmRare, CharmEpic, CharmLegendary, CharmMythic}[s.Rarity()]
	if s%coin == 0 {
		charms |= CharmCoin
	}
	if s.CoinbaseHeight() == 9 {
		charms |= CharmNineball // block 9 is the oldest block whose sats were ever spent
	}
	if s.isPalindrome() {
		charms |= CharmPalindrome
	}
	return charms
}

// isPalindrome reports whether the decimal digits read the same backwards.
func (s Sat) isPalindrome() bool {
	var backwards Sat
	for left := s; left > 0; left /= 10 {
		backwards = backwards*10 + left%10
	}
	return s == backwards
}
