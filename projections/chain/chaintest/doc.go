// Package chaintest tests the interfaces of contracts in the tables of package chain, without looking inside of it. The tests
// stand apart, because package chain is as long as a package may be.
package chaintest
