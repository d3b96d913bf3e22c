package schema

import "strings"

// Negative flags a balance below zero.
type Negative struct {
	Negative bool `json:"negative,omitempty" doc:"True for a balance below zero, which no chain allows: the log lacks what happened before (see the header Strata-History). Absent otherwise."`
}

// NegativeOf returns the flag of a balance.
func NegativeOf(balance Amount) Negative { return Negative{strings.HasPrefix(string(balance), "-")} }
