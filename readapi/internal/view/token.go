package view

import "strings"

// TokenKey returns the key of a text in the indexes of the names and symbols of fungible tokens; keys of texts that begin alike
// begin alike.
func TokenKey(text string) string { return "0" + strings.ToLower(text) }

// TokenAsset returns the asset identifier of a contract's tokens: with the first of the names that is known, or else the
// contract's own.
func TokenAsset(contract string, names ...*string) string {
	for _, name := range names {
		if name != nil && *name != "" {
			return contract + "::" + *name
		}
	}
	return contract
}
