package token

import (
	"strings"
	"unicode"

	"strata/domain/fetch"
)

// severityOf says how bad the cause is for which a node refused a read-only call.
//
//	Unchecked(X…), RuntimeCheck(X…)   the check X failed; the second is what nodes write since the 4.0 line
//	  NoSuchContract                  Troubled  the deploy may be too young for this node
//	  Cost…, Memory…, ExecutionTime…  Waiting   over the budget of this node: another may have a larger one
//	  others: UndefinedFunction, …    Wrong     missing functions and wrong types stay
//	Runtime(X…), Internal(X…)         Troubled  the node's own trouble: no contract's error is written like this
//	X …                               Wrong     an error at run time, such as DivisionByZero, a stack trace behind it
//	NotReadOnly                       Wrong     the function writes
//
// Sources: stacks-core 4.0, stackslib/src/net/api/callreadonly.rs and clarity/src/vm/errors.rs. token-metadata-api tries
// again whatever begins with Runtime, so on newer nodes just what stays as it is.
func severityOf(cause string) fetch.Severity {
	kind, rest := identifier(cause)
	inner, wrapped := strings.CutPrefix(rest, "(")
	if wrapped {
		switch kind {
		case "Unchecked", "RuntimeCheck":
			kind, _ = identifier(inner)
		case "Runtime", "Internal":
			return fetch.Troubled
		}
	}
	switch kind {
	case "NoSuchContract":
		return fetch.Troubled
	case "CostOverflow", "CostBalanceExceeded", "CostComputationFailed", "MemoryBalanceExceeded", "ExecutionTimeExpired":
		return fetch.Waiting
	}
	return fetch.Wrong
}

// identifier splits a text behind the name at its start, which may be empty.
func identifier(s string) (name, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}
