// Package soak runs a server for a while under everything at once: a chain that arrives many times faster than a real one, readers,
// attackers, and kills. It then checks that nothing was lost, that readers saw no error that a working server should not show, and that
// memory, file descriptors and connections have not grown.
//
// All processes that it ends are its own, and everything listens on the loopback interface only.
package soak
