// Package strata reads the API of a Strata server.
//
// The operations, with their parameters and answers, are generated from the description of the API: Client has a method
// for each of them, and Read reads an answer. The rest of the package does what a description can't say: Rows and Pages go
// through lists, Follow follows streams and resumes them, Session asks again only for what has changed and no earlier than
// a position, Broadcast waits until reads show a transaction, and CheckProof checks that an event is in the log.
package strata
