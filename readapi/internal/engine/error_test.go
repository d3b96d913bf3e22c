package engine

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// A read that failed for the state of the database is answered with 503, and one with a wrong query with 500.
func TestFailure(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"40001": http.StatusServiceUnavailable, "40P01": http.StatusServiceUnavailable, "53100": http.StatusServiceUnavailable,
		"58030": http.StatusServiceUnavailable, "42601": http.StatusInternalServerError,
	} {
		if got, _, _ := Failure(fmt.Errorf("read: %w", &pgconn.PgError{Code: code}), ""); got != want {
			t.Errorf("%s: got status %d, want %d", code, got, want)
		}
	}
}
