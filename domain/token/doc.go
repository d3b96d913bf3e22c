// Package token has the rules of Stacks tokens: which contracts are tokens (SIP-009, SIP-010, SIP-013), what to ask them
// and what their answers mean, and what they print about themselves (SIP-013, SIP-019).
//
// It asks nobody: [Calls] says what to want, and [ReadToken] reads the report that came of it (package fetch).
package token
