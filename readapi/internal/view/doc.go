// Package view holds the shapes that several operations show: transactions, events, blocks, balances, and what waits in
// the mempool. Each consists of a row type, the SQL and the scan destinations to read it, and the functions that render
// it as a body.
package view
