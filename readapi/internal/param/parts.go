package param

import (
	"strings"
)

// IDsMax is the largest number of ids in one request.
const IDsMax = 200

// SplitList returns the items of a repeatable parameter, each of which may hold several items separated by commas.
func SplitList(items []string) []string {
	var all []string
	for _, item := range items {
		all = append(all, strings.Split(item, ",")...)
	}
	return all
}
