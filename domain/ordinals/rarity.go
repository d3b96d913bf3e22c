package ordinals

import "fmt"

// Rarity of a sat. A rarer one is greater. The numbers may be stored: they never change.
type Rarity uint8

// From the most frequent to the rarest, by what begins with the sat.
const (
	Common    Rarity = iota // nothing
	Uncommon                // a block
	Rare                    // a difficulty period
	Epic                    // an epoch
	Legendary               // a cycle
	Mythic                  // everything: the first sat
)

var rarityNames = [...]string{"common", "uncommon", "rare", "epic", "legendary", "mythic"}

// Rarity says what begins with the sat.
func (s Sat) Rarity() Rarity {
	height, offset := s.place()
	switch {
	case s == 0:
		return Mythic
	case offset != 0:
		return Common
	case height%HalvingBlocks == 0 && height%DifficultyBlocks == 0:
		return Legendary
	case height%HalvingBlocks == 0:
		return Epic
	case height%DifficultyBlocks == 0:
		return Rare
	}
	return Uncommon
}

// ParseRarity reads a rarity in lower case.
func ParseRarity(text string) (Rarity, error) {
	for r, name := range rarityNames {
		if name == text {
			return Rarity(r), nil
		}
	}
	return 0, fmt.Errorf("rarity %.80q: want one of %v", text, rarityNames)
}

// String is the rarity in lower case.
func (r Rarity) String() string {
	if int(r) < len(rarityNames) {
		return rarityNames[r]
	}
	return fmt.Sprintf("rarity %d", uint8(r))
}

// MarshalText is String.
func (r Rarity) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is ParseRarity.
func (r *Rarity) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRarity(string(text))
	return err
}
