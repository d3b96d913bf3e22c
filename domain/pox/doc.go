// Package pox reads the print events of the proof-of-transfer boot contracts: the ones a node adds to calls of pox-2,
// pox-3 and pox-4 (Decode), and the ordinary ones of pox-5 (DecodePrint). The first contract, pox, prints nothing.
//
// Lock events of the same transactions say what happened to balances; these events say what happened to stacking.
package pox
