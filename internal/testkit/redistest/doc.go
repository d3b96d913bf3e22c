// Package redistest gives tests a real Redis of their own, which they may stop, pause, fill up and start again.
//
//	server := redistest.New(t)                                  // one server
//	server := redistest.New(t, "--maxmemory", "2mb")            // with further arguments
//	server := redistest.NewCluster(t)                           // a cluster of one node
//	sentinel := redistest.NewSentinel(t)                        // a master, and a sentinel that names it
//
// A server listens on a free port of the loopback interface, keeps nothing on disk, and takes some 20 ms to start.
// Tests may run in parallel. Servers end with the test, paused or not, and on Linux also with the test's process,
// however that ends.
package redistest
