package internal_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/dberror"
)

func TestPassing(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"08006": true, "40P01": true, "53100": true, "57P01": true, "57014": true, "58030": true, "XX000": true, "25006": true, "25P03": true, "55P03": true,
		"22003": false, "23505": false, "25001": false, "42P01": false, "55000": false,
	} {
		if got := dberror.Passing(fmt.Errorf("fold: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s: got %v, want %v", code, got, want)
		}
	}
	for _, err := range []error{context.DeadlineExceeded, io.ErrUnexpectedEOF} {
		if !dberror.Passing(fmt.Errorf("fold: %w", err)) {
			t.Errorf("%v: got permanent", err)
		}
	}
	if dberror.Passing(nil) || dberror.Passing(errors.New("the balance is below zero")) {
		t.Error("an error of a fold: got passing")
	}
}
