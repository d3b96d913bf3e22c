package engine

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// What another transaction or the server is in the way of may be asked for again; what is wrong with a query may not.
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
