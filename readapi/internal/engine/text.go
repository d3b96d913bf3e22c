package engine

import (
	"fmt"
)

func EventLink(seq int64) string { return fmt.Sprintf("/audit/v1/events/%d", seq) }

// instead names the successor of what is deprecated.
func Instead(path string) string { return "Use `" + path + "` instead." }
