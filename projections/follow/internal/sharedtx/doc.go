// Package sharedtx is one transaction of the database that several folds use, one after the other.
//
// A statement whose result nobody reads waits in the transaction, and goes to the server with the next query, in one
// pgx.Batch: a fold takes a round trip for each of its queries, and none for its writes. So the error of a write shows at a
// later query, which may be another fold's; Tx.Flush makes it show at once.
//
// If a statement fails, the transaction is lost, with the work of all folds. There are no savepoints: they would cost each
// fold two statements more, for a case that is rare.
package sharedtx
