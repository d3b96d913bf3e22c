// Package admin is the HTTP API for operators, on an address of its own: it builds, compares, verifies, switches and
// drops versions of read tables, as the command strata projections does. Any version can also be read beside the active
// ones.
//
// # Access
//
// Whoever reaches a loopback address is on the machine, and needs no token unless one is set. Any other address must
// have a token (CheckAddress). A browser on the machine also shows pages of strangers, which must not reach the API:
// their requests name the page in Origin and Sec-Fetch-Site, or have a host name in Host that the stranger lets resolve
// to 127.0.0.1. Such requests are refused, reads included.
//
// # State
//
// The API has no state: each operation is one of package version on the database, and a process with the code builds
// what was registered. Any number of processes can serve it, side by side with the command line.
package admin
