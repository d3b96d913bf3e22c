// Package soak runs a server for a while under everything at once: a chain that arrives many times faster than a real one,
// tokens whose documents are fetched, readers, attackers, and faults of the server, of its database and its disk, of Redis and
// of the nodes. It then checks that nothing was lost and that readers saw no error that a working server should not show.
//
// All processes that it ends are its own, and everything listens on the loopback interface only.
package soak
