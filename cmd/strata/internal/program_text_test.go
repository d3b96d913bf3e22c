package internal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"strata/cmd/strata/internal/program"
)

func TestOneLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want string
	}{
		{errors.New("plain"), "plain"},
		{errors.New(strings.Join([]string{"failed to connect:", "\ta: refused", "\ta: refused", "is it up?", ""}, "\n")), "failed to connect: a: refused; is it up?"},
		{fmt.Errorf("import: %w", context.Canceled), "interrupted"},
	} {
		if got := program.OneLine(tc.err); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
