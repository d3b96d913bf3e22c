package projections

import (
	"context"
	"errors"
)

// A follower takes items in batches rather than one by one when more than bulkLag wait, or when there are several that are
// large: blocks of the ordinals feed have megabytes, so that a few dozen are a lot to do.
const (
	bulkLag   = 64
	bulkBytes = 1 << 20
)

// errBehind ends live following in favour of bulk.
var errBehind = errors.New("far behind the head")

// far says whether what waits from a position up to the head is better taken in batches.
func (f *follower[T]) far(ctx context.Context, position, head int64) (bool, error) {
	switch waiting := head - position; {
	case waiting <= 1:
		return false, nil
	case waiting > bulkLag:
		return true, nil
	}
	bytes, err := f.source.bytes(ctx, position, head)
	return bytes > bulkBytes, err
}
