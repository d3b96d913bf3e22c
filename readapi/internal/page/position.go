package page

import (
	"math"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
)

// PositionCursor is the position of a transaction in the chain as a cursor, written height:sequence:index.
type PositionCursor string

// Check refuses numbers that no position has, in the words of the reference for an EventCursor; for a PositionCursor it has
// none, and fails. An empty cursor is fine.
func (c PositionCursor) Check() error {
	return CheckCursor(string(c), math.MaxInt32, math.MaxInt32, math.MaxInt16)
}

// Position returns the position of the first row of a page. Without a cursor it lies after all transactions. No
// transaction has the position H:0:0; that cursor means the end of block H.
func (c PositionCursor) Position() (height, sequence, index int64) {
	parts := strings.Split(string(c), ":")
	if len(parts) != 3 {
		return math.MaxInt64, AnchoredSequence, math.MaxInt32
	}
	for i, n := range []*int64{&height, &sequence, &index} {
		*n, _ = strconv.ParseInt(parts[i], 10, 64) // Check was called
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

// EventCursor is the position of an event in the chain as a cursor, written height:sequence:index:event.
type EventCursor string

// Check refuses numbers that no position has, in the words of the reference. An empty cursor is fine.
func (c EventCursor) Check() error {
	return CheckCursor(string(c), math.MaxInt32, math.MaxInt32, math.MaxInt16, math.MaxInt32)
}

// CheckCursor refuses a cursor of whole numbers, separated by colons, if one of them is above its limit. Parts without a
// limit are not checked.
func CheckCursor(cursor string, limits ...int64) error {
	if cursor == "" {
		return nil
	}
	parts := strings.Split(cursor, ":")
	for i, limit := range limits[:min(len(limits), len(parts))] {
		if n, err := strconv.ParseInt(parts[i], 10, 64); err != nil || n > limit {
			return engine.BadRequest("Cursor value out of range: %s", cursor)
		}
	}
	return nil
}

// Position returns the position of the first event of a page. Without a cursor it lies after all events. No event has the
// position H:0:0:0; that cursor means the end of block H.
func (c EventCursor) Position() (height, sequence, index, event int64) {
	parts := strings.Split(string(c), ":")
	if len(parts) != 4 {
		return math.MaxInt64, AnchoredSequence, math.MaxInt32, math.MaxInt32
	}
	for i, n := range []*int64{&height, &sequence, &index, &event} {
		*n, _ = strconv.ParseInt(parts[i], 10, 64) // Check was called
	}
	if sequence == 0 && index == 0 && event == 0 {
		return height, AnchoredSequence, math.MaxInt32, math.MaxInt32
	}
	return height, sequence, index, event
}

// EventText returns the position of an event as the text of an EventCursor.
func EventText(height int64, sequence, index, event int32) string {
	return PositionText(height, sequence, index) + ":" + strconv.Itoa(int(event))
}
