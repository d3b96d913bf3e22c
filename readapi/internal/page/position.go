package page

import (
	"math"
	"strconv"
	"strings"
)

// positionCursor is where a transaction stands in the chain: height:sequence:index.
type PositionCursor string

// position is the place of the first row of a page; without a cursor one after all there are. H:0:0, where there is no
// transaction, is the end of block H.
func (c PositionCursor) Position() (height, sequence, index int64) {
	parts := strings.Split(string(c), ":")
	if len(parts) != 3 {
		return math.MaxInt64, AnchoredSequence, math.MaxInt32
	}
	for i, n := range []*int64{&height, &sequence, &index} {
		*n, _ = strconv.ParseInt(parts[i], 10, 64) // the pattern has been checked
	}
	if sequence == 0 && index == 0 {
		return height, AnchoredSequence, math.MaxInt32
	}
	return height, sequence, index
}

// anchoredSequence stands for the microblock sequence of transactions that were in no microblock: they come after all
// that were.
const AnchoredSequence = 1<<31 - 1

// positionText is where a transaction stands in the chain, as cursors have it.
func PositionText(height int64, sequence, index int32) string {
	return strconv.FormatInt(height, 10) + ":" + strconv.Itoa(int(sequence)) + ":" + strconv.Itoa(int(index))
}
