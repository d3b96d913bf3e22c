// Package pox decodes the print events of the proof-of-transfer boot contracts: the events that a node adds to calls of
// pox-2, pox-3 and pox-4 (Decode), and the ordinary ones of pox-5 (DecodePrint). The first contract, pox, prints
// nothing.
//
// These events tell how a transaction changes stacking. Its lock events tell how it changes balances.
package pox
