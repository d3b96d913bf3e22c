package node

// Whether blocks have room decides what a fee has to be: while they do, the least that a node takes is enough. How full
// they are is judged by tenures, as the limit of the network is for all blocks of a tenure together. A tenure-change
// transaction begins a tenure or extends one, and with either the budget begins anew.

// Thresholds, as stacks-blockchain-api has them by default.
const (
	currentBlocksMin  = 5   // of the current tenure, for it to be judged
	currentFull       = 0.5 // of the limit, below which the current tenure has room
	pastTenures       = 5   // that are judged
	pastFull          = 0.9 // of the limit, below which the past tenures had room
	tenureBytesLimit  = 2 << 20
	minimumFeePerByte = 1 // µSTX
)

// fullness is what transactions took of each dimension that is limited.
type fullness [6]int64 // those of ExecutionCost, and the bytes of transactions

// limits of all dimensions.
func (c ExecutionCost) limits() fullness {
	return fullness{c.ReadCount, c.ReadLength, c.WriteCount, c.WriteLength, c.Runtime, tenureBytesLimit}
}

// add adds other, so many times.
func (f *fullness) add(other fullness, times int64) {
	for i := range f {
		f[i] += times * other[i]
	}
}

// below says whether every dimension is below a part of so many times its limit.
func (f *fullness) below(limit fullness, part, times float64) bool {
	for i := range f {
		if float64(f[i]) >= float64(limit[i])*part*times {
			return false
		}
	}
	return true
}

// feeBlock is a canonical block, as far as fees depend on it.
type feeBlock struct {
	height, seq int64
	begins      bool // a budget, with a tenure change
	took        fullness
}

// market is whether transactions have to outbid each other.
type market uint8

const (
	marketUnknown market = iota // there is nothing to judge by
	marketNone                  // blocks have room
	marketFull
)

// marketOf judges by the newest canonical blocks, in the order of their heights.
func marketOf(blocks []feeBlock, limit fullness) market {
	current, rest, ok := lastTenure(blocks)
	if !ok {
		return marketUnknown // not even the current tenure is known from its beginning
	}
	if current.blocks >= currentBlocksMin && current.took.below(limit, currentFull, 1) {
		return marketNone
	}
	var sum fullness
	weights := int64(0)
	for weight := int64(pastTenures); weight > 0; weight-- { // the newest counts most
		var past tenure
		if past, rest, ok = lastTenure(rest); !ok {
			return marketNone // too few to say that there is one
		}
		sum.add(past.took, weight)
		weights += weight
	}
	if sum.below(limit, pastFull, float64(weights)) {
		return marketNone
	}
	return marketFull
}

// tenure is what the blocks of one took together.
type tenure struct {
	blocks int
	took   fullness
}

// lastTenure sums up the newest tenure of blocks; ok is false where it begins before them.
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
