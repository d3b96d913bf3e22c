package follow

import (
	"context"
	"errors"
)

// A follower takes items in batches rather than one by one when more than bulkLag of them wait, or when at least two
// wait that have more than bulkBytes together: blocks of the ordinals feed have megabytes, so that a few dozen are much
// work.
const (
	bulkLag   = 64
	bulkBytes = 1 << 20
)

// errBehind ends live mode in favour of bulk mode.
var errBehind = errors.New("far behind the head")

// farBehind reports whether the items after a position up to the head are better taken in batches.
func (f *follower[T]) farBehind(ctx context.Context, position, head int64) (bool, error) {
	switch waiting := head - position; {
	case waiting <= 1:
		return false, nil
	case waiting > bulkLag:
		return true, nil
	}
	bytes, err := f.source.bytes(ctx, position, head)
	return bytes > bulkBytes, err
}
