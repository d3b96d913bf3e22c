// Package view has the shapes that several resources show: transactions, events, blocks, balances, what waits in the mempool. Each is a
// row, the columns that it is read from, and how it is rendered.
package view
