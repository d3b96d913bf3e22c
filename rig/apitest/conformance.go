package apitest

import (
	"regexp"
)

// Every error body and every rule of coercion that clients of stacks-blockchain-api know.
var StrongTag = regexp.MustCompile(`^"[0-9a-f]{32}"$`)
