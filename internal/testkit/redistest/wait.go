package redistest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// errEnded is final: the process will never answer.
var errEnded = errors.New("the process has ended")

// eventually calls f until it succeeds, until it fails with errEnded or an authentication error, or until ctx ends.
func eventually(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || errors.Is(err, errEnded) || redis.IsAuthError(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
