// Package redistest gives each test its own real Redis, which the test may stop, pause, fill up and start again.
//
//	server := redistest.New(t)                                  // one server
//	server := redistest.New(t, "--maxmemory", "2mb")            // with further arguments
//	server := redistest.NewCluster(t)                           // a cluster of one node
//	sentinel := redistest.NewSentinel(t)                        // a master, a replica and a sentinel
//
// A server listens on a free port of the loopback interface, stores nothing on disk, and takes some 20 ms to start.
// Tests may run in parallel. A server ends with its test, even if it is paused. On Linux it also ends with the test's
// process, even if that is killed.
package redistest
