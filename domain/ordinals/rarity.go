package ordinals

import "fmt"

// Rarity is the rarity of a sat. A rarer sat has a greater number. The numbers never change, so they may be stored.
type Rarity uint8

// Rarities from the most frequent to the rarest, with what begins at such a sat.
const (
	Common    Rarity = iota // nothing
	Uncommon                // a block
	Rare                    // a difficulty period
	Epic                    // an epoch
	Legendary               // a cycle
	Mythic                  // everything: the first sat
)

var rarityNames = [...]string{"common", "uncommon", "rare", "epic", "legendary", "mythic"}

// Rarity returns the rarity of the sat, which depends on what begins at it.
func (s Sat) Rarity() Rarity {
	height, offset := s.position()
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

// ParseRarity parses the name of a rarity in lower case.
func ParseRarity(text string) (Rarity, error) {
	for r, name := range rarityNames {
		if name == text {
			return Rarity(r), nil
		}
	}
	return 0, fmt.Errorf("rarity %.80q: want one of %v", text, rarityNames)
}

// String returns the name of the rarity in lower case.
func (r Rarity) String() string {
	if int(r) < len(rarityNames) {
		return rarityNames[r]
	}
	return fmt.Sprintf("rarity %d", uint8(r))
}

// MarshalText returns the same name as String.
func (r Rarity) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText accepts what ParseRarity accepts.
func (r *Rarity) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRarity(string(text))
	return err
}
