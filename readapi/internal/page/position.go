package page

import (
	"math"
	"strconv"
	"strings"
)

// PositionCursor is the position of a transaction in the chain as a cursor, written height:sequence:index.
type PositionCursor string

// Position returns the position of the first row of a page. Without a cursor it lies after all transactions. No
// transaction has the position H:0:0; that cursor means the end of block H.
func (c PositionCursor) Position() (height, sequence, index int64) {
	parts := strings.Split(string(c), ":")
	if len(parts) != 3 {
		return math.MaxInt64, AnchoredSequence, math.MaxInt32
	}
	for i, n := range []*int64{&height, &sequence, &index} {
		*n, _ = strconv.ParseInt(parts[i], 10, 64) // cannot fail: the pattern was checked
	}
	if sequence == 0 && index == 0 {
		return height, AnchoredSequence, math.MaxInt32
	}
	return height, sequence, index
}

// AnchoredSequence stands for the microblock sequence of transactions that were in no microblock. It sorts them after
// those that were.
const AnchoredSequence = 1<<31 - 1

// PositionText returns a position in the chain as the text of a PositionCursor.
func PositionText(height int64, sequence, index int32) string {
	return strconv.FormatInt(height, 10) + ":" + strconv.Itoa(int(sequence)) + ":" + strconv.Itoa(int(index))
}
