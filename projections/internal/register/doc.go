// Package register is the database's register of versions (strata.projection and strata.active) with the tables and
// views that belong to its entries. It is the mechanism that packages follow and version share; the decisions are
// theirs.
//
// Anybody may read an entry at any time. What creates, switches or removes versions does so within Change, one after
// the other. The position of an entry belongs to the follower of the version, which moves it with a compare-and-set in
// the transaction that writes the rows; Hold keeps it from that for a moment.
package register
