package fanout_test

import "flag"

// long makes the test of the cluster send 10,000 events.
var long = flag.Bool("long", false, "send 10,000 events through the cluster")
