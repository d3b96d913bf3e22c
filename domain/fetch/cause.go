package fetch

import (
	"strings"
	"unicode"
)

// severityOf returns the severity of the cause for which a node refused a read-only call.
//
//	Unchecked(X…), RuntimeCheck(X…)   the check X failed; nodes write RuntimeCheck since release 4.0
//	  NoSuchContract                  Troubled  the contract may be too new for this node
//	  Cost…, Memory…, ExecutionTime…  Waiting   exceeds the budget of this node; another node may have a larger one
//	  others: UndefinedFunction, …    Wrong     missing functions and wrong types are permanent
//	Runtime(X…), Internal(X…)         Troubled  an error of the node: no error of a contract has this form
//	X …                               Wrong     an error at run time such as DivisionByZero, followed by a stack trace
//	NotReadOnly                       Wrong     the function writes
//
// Sources: stacks-core 4.0, stackslib/src/net/api/callreadonly.rs and clarity/src/vm/errors.rs. token-metadata-api
// retries every cause that begins with Runtime; from newer nodes, these are just the permanent errors.
func severityOf(cause string) Severity {
	kind, rest := identifier(cause)
	inner, wrapped := strings.CutPrefix(rest, "(")
	if wrapped {
		switch kind {
		case "Unchecked", "RuntimeCheck":
			kind, _ = identifier(inner)
		case "Runtime", "Internal":
			return Troubled
		}
	}
	switch kind {
	case "NoSuchContract":
		return Troubled
	case "CostOverflow", "CostBalanceExceeded", "CostComputationFailed", "MemoryBalanceExceeded", "ExecutionTimeExpired":
		return Waiting
	}
	return Wrong
}

// identifier splits a text after the name at its start. The name may be empty.
func identifier(s string) (name, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}
