// Package bns knows BNS-V2, the second registry of the Bitcoin Name System, and its zonefile resolver: what the
// contracts print, what calls that print nothing change, prices, expiry, and the usual contents of zonefiles.
//
// Sources: the contracts SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF.BNS-V2 and …zonefile-resolver. Numbers that a
// stranger chooses (lifetimes, price functions) have up to 128 bits and are *big.Int. Heights are those of Bitcoin
// blocks as the contract sees them, except for those of airdropped namespaces and for the registration heights of
// airdropped names, which are Stacks heights of the first registry.
package bns
