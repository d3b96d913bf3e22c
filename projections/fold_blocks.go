package projections

import (
	"context"
	"fmt"
)

// FoldBlocks folds the steps that Lasting returns: reverts first, then applies. revert gets the step of the newest block and
// the height of the lowest one; apply gets at least one step. Either is left out if there is nothing for it.
func FoldBlocks(
	ctx context.Context, steps []Step,
	revert func(ctx context.Context, newest Step, lowest int64) error, apply func(ctx context.Context, steps []Step) error,
) error {
	reverted := 0
	for reverted < len(steps) && steps[reverted].Kind == Revert {
		reverted++
	}
	if reverted > 0 {
		lowest := steps[reverted-1].Height
		if err := revert(ctx, steps[0], lowest); err != nil {
			return fmt.Errorf("revert %d blocks from height %d on: %w", reverted, lowest, err)
		}
	}
	if steps = steps[reverted:]; len(steps) == 0 {
		return nil
	}
	if err := apply(ctx, steps); err != nil {
		return fmt.Errorf("apply blocks at heights %d to %d: %w", steps[0].Height, steps[len(steps)-1].Height, err)
	}
	return nil
}
