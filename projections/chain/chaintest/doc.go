// Package chaintest has random histories of forks and the rules that their tables must obey, for the tests of package chain, and
// tests of chain together with the projections that fold its steps. These stand apart because together they are longer than the
// fold.
package chaintest
