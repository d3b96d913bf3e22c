// Package conformance has no code but tests. They ask each operation of the API over a made-up chain, a made-up ordinals
// feed and a few tokens, and compare the answers with expectations that were written by hand (table_test.go) and with
// golden answers in testdata, so that a change of any answer shows in a diff.
//
// make conformance runs them all. With -update, go test writes the golden answers anew; read the diff before you commit
// it. An operation without a row in the table fails.
package conformance
