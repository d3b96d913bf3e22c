package engine

import (
	"fmt"
)

// EventLink returns the path of an event's audit entry.
func EventLink(seq int64) string { return fmt.Sprintf("/audit/v1/events/%d", seq) }

// Instead returns a sentence for the description of a deprecated operation that names its successor.
func Instead(path string) string { return "Use `" + path + "` instead." }
