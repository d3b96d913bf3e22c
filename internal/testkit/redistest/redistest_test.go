package redistest_test

import (
	"net"
	"testing"

	"strata/internal/testkit/redistest"
)

// listens reports whether a process accepts connections at an address.
func listens(address string) bool {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	_ = connection.Close() // nothing was sent
	return true
}

// TestPausedServerEnds pauses the server of a subtest, which must end with the subtest.
func TestPausedServerEnds(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("paused", func(t *testing.T) {
		server := redistest.New(t)
		address = server.Addr()
		server.Pause()
	})
	if listens(address) {
		t.Fatalf("the paused server on %s has outlived its test", address)
	}
}
