// Package synthnames simulates the contracts of BNS-V2: it makes up calls with their events, and knows the state to
// arrive at.
package synthnames
