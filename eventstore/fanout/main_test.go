package fanout_test

import (
	"flag"
	"os"
	"testing"
)

// long makes the test of the cluster send 10,000 events.
var long = flag.Bool("long", false, "send 10,000 events through the cluster")

func TestMain(m *testing.M) {
	if text := os.Getenv(nodeVariable); text != "" {
		runNode(text)
	}
	os.Exit(m.Run())
}
