// Package token has the rules of Stacks tokens: which contracts are tokens (SIP-009, SIP-010, SIP-013), which read-only
// calls return their properties, what the results mean, and what contracts print about their tokens (SIP-013, SIP-019).
//
// The package makes no requests: [Calls] returns the calls to make, and [ReadToken] reads the report of the results
// (package fetch).
package token
