// Package tokentest tests the fold of package token through its tables, without looking inside of it. A world folds
// hand-made blocks and records into the projections of all kinds, in one transaction:
//
//   - tests of single rules compare rows with what the conformance list of token metadata expects;
//   - random histories are compared with the history of their canonical blocks alone. An oracle answers for nodes and
//     servers.
//
// These tests stand apart from the fold because together they are longer than it.
package tokentest
