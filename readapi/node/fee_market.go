package node

// The fee that a transaction needs depends on whether blocks have room: while they do, the minimum fee of a node is
// enough. Fullness is measured per tenure, because the network limits the cost of all blocks of a tenure together. A
// tenure-change transaction begins or extends a tenure (SIP-021); either starts a new budget, which counts as a new
// tenure here.

// Thresholds. They equal the defaults of stacks-blockchain-api.
const (
	currentBlocksMin  = 5       // blocks that the current tenure needs to be judged
	currentFull       = 0.5     // share of the limit below which the current tenure has room
	pastTenures       = 5       // past tenures that are judged
	pastFull          = 0.9     // share of the limit below which the past tenures had room
	tenureBytesLimit  = 2 << 20 // bytes of the transactions of a tenure
	minimumFeePerByte = 1       // µSTX
)

// fullness is the use of each limited dimension: those of ExecutionCost, and the bytes of transactions.
type fullness [6]int64

// limits returns the limits of all dimensions.
func (c ExecutionCost) limits() fullness {
	return fullness{c.ReadCount, c.ReadLength, c.WriteCount, c.WriteLength, c.Runtime, tenureBytesLimit}
}

// add adds other, multiplied by times.
func (f *fullness) add(other fullness, times int64) {
	for i := range f {
		f[i] += times * other[i]
	}
}

// below reports whether every dimension is below limit·part·times.
func (f *fullness) below(limit fullness, part, times float64) bool {
	for i := range f {
		if float64(f[i]) >= float64(limit[i])*part*times {
			return false
		}
	}
	return true
}

// feeBlock is the part of a canonical block that fees depend on.
type feeBlock struct {
	height, seq int64
	begins      bool // has a tenure change, which starts a new budget
	took        fullness
}

// market says whether transactions have to outbid each other.
type market uint8

const (
	marketUnknown market = iota // too little data to decide
	marketNone                  // blocks have room
	marketFull                  // blocks are full: transactions compete
)

// marketOf computes the market from the newest canonical blocks, which are in the order of their heights.
func marketOf(blocks []feeBlock, limit fullness) market {
	current, rest, ok := lastTenure(blocks)
	if !ok {
		return marketUnknown // the blocks do not reach back to the beginning of the current tenure
	}
	if current.blocks >= currentBlocksMin && current.took.below(limit, currentFull, 1) {
		return marketNone
	}
	var sum fullness
	weights := int64(0)
	for weight := int64(pastTenures); weight > 0; weight-- { // the newest tenure has the highest weight
		var past tenure
		if past, rest, ok = lastTenure(rest); !ok {
			return marketNone // too few tenures to say that blocks are full
		}
		sum.add(past.took, weight)
		weights += weight
	}
	if sum.below(limit, pastFull, float64(weights)) {
		return marketNone
	}
	return marketFull
}

// tenure is the sum over the blocks of a tenure.
type tenure struct {
	blocks int
	took   fullness
}

// lastTenure sums up the newest tenure of blocks, and returns the blocks before it. ok is false when the tenure begins
// before the first of blocks.
func lastTenure(blocks []feeBlock) (last tenure, before []feeBlock, ok bool) {
	for i := len(blocks) - 1; i >= 0; i-- {
		last.blocks++
		last.took.add(blocks[i].took, 1)
		if blocks[i].begins {
			return last, blocks[:i], true
		}
	}
	return last, nil, false
}
