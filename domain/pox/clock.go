package pox

// Clock is the division of the Bitcoin chain into reward cycles. A cycle begins with its reward phase; its last blocks
// are the prepare phase, in which the set of signers of the next cycle is computed.
type Clock struct {
	FirstHeight   int64 // height at which cycle 0 begins
	CycleLength   int64 // Bitcoin blocks of a cycle
	PrepareLength int64 // Bitcoin blocks of its prepare phase
}

// MainnetClock is the clock of mainnet.
var MainnetClock = Clock{FirstHeight: 666050, CycleLength: 2100, PrepareLength: 100}

// MainnetFirstStakingCycle is the first reward cycle of pox-5 on mainnet, the one in which bond 0 starts.
const MainnetFirstStakingCycle = 141

// Start returns the height at which a cycle begins.
func (c Clock) Start(cycle int64) int64 { return c.FirstHeight + cycle*c.CycleLength }

// PrepareStart returns the height at which the prepare phase of a cycle begins.
func (c Clock) PrepareStart(cycle int64) int64 { return c.Start(cycle+1) - c.PrepareLength }

// Cycle returns the cycle of a height; negative for heights before cycle 0.
func (c Clock) Cycle(height int64) int64 {
	passed := height - c.FirstHeight
	if passed < 0 {
		return (passed+1)/c.CycleLength - 1
	}
	return passed / c.CycleLength
}
