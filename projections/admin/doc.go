// Package admin is for those who run the program, on an address of its own: versions of read tables are built, looked
// at, switched and dropped here, as the command strata projections does, and any of them can be read beside the active ones.
//
// # Who may
//
// Whoever reaches a loopback address is on the machine, and needs no token unless one is set; any other address has to have one
// (CheckAddress). That a browser on the machine also shows pages of others does not let these in: what they send names
// where it comes from (Origin, Sec-Fetch-Site), and a name that they have made to mean 127.0.0.1 stands in Host. Both are
// refused, for reads too.
//
// # What it does
//
// It holds nothing: each operation is one of package projections on the database, and whichever process has the code builds
// what was registered. Any number of processes can serve it, side by side with the command line.
package admin
