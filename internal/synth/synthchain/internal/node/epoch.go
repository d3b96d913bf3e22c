package node

// Epoch is a version of the rules of consensus. Epochs are ordered.
type Epoch uint8

// The epochs, named after their numbers.
const (
	Epoch20  Epoch = iota
	Epoch205       // costs-2
	Epoch21        // pox-2, Clarity 2
	Epoch22        // nobody stacks: the locks of pox-2 end
	Epoch23
	Epoch24 // pox-3
	Epoch25 // pox-4, signers
	Epoch30 // Nakamoto, Clarity 3
	Epoch31
	Epoch32
	Epoch33 // Clarity 4
	Epoch34 // Clarity 5
	Epoch40 // pox-5, Clarity 6
	epochs
)

var epochNames = [epochs]string{
	"Epoch20", "Epoch2_05", "Epoch21", "Epoch22", "Epoch23", "Epoch24", "Epoch25", "Epoch30", "Epoch31", "Epoch32", "Epoch33", "Epoch34", "Epoch40",
}

// String returns the name of the epoch in contract interfaces.
func (e Epoch) String() string { return epochNames[e] }

// Clarity returns the version of contracts that do not name one.
func (e Epoch) Clarity() uint8 {
	switch {
	case e < Epoch21:
		return 1
	case e < Epoch30:
		return 2
	case e < Epoch33:
		return 3
	case e < Epoch34:
		return 4
	case e < Epoch40:
		return 5
	}
	return 6
}

// Contracts returns the boot contracts that the epoch brings.
func (e Epoch) Contracts() []string {
	return map[Epoch][]string{
		Epoch205: {"costs-2"}, Epoch21: {"pox-2", "costs-3"}, Epoch24: {"pox-3"}, Epoch25: {"pox-4", "signers", "signers-voting"},
		Epoch32: {"sip-031"}, Epoch33: {"costs-4"}, Epoch40: {"pox-5"},
	}[e]
}

// Coinbase returns the microSTX of a tenure's coinbase.
func (e Epoch) Coinbase() uint64 {
	if e >= Epoch31 && e < Epoch40 {
		return 500_000_000
	}
	return 1_000_000_000
}

// Epoch returns the epoch of a chain that stays in one: the one that the generation was released for.
func (g Generation) Epoch() Epoch {
	switch {
	case g < V21:
		return Epoch205
	case g < V25:
		return Epoch21
	case g < V30:
		return Epoch25
	case g < V3109:
		return Epoch30
	case g < V34:
		return Epoch31
	case g < V40:
		return Epoch34
	}
	return Epoch40
}

// Schedule has the burn heights at which the epochs start.
type Schedule [epochs]uint64

// Compressed returns a schedule with all epochs, in which a reward cycle has so many burn blocks. Like on mainnet, Bitcoin
// blocks of a cycle of pox-4 follow after the start of epoch 4.0; the next cycle is the first one of pox-5.
func Compressed(start, cycle uint64) *Schedule {
	s := Schedule{}
	for e, tenths := range [epochs]uint64{0, 6, 12, 24, 27, 30, 40, 50, 58, 62, 66, 70, 83} {
		s[e] = start + tenths*cycle/10
	}
	return &s
}

// At returns the epoch of a block with a burn height.
func (s *Schedule) At(burn uint64) Epoch {
	e := Epoch20
	for e+1 < epochs && s[e+1] <= burn {
		e++
	}
	return e
}

// Unlocks returns the burn heights at which the locks of pox-1 to pox-4 end.
func (s *Schedule) Unlocks() [4]uint64 {
	return [4]uint64{s[Epoch21] + 1, s[Epoch22] + 1, s[Epoch25] + 1, s[Epoch40]}
}
