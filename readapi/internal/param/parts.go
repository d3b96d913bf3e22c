package param

import (
	"strings"
)

// idsMost is how many things can be asked for by their ids at once.
const IDsMax = 200

// parted are the items of a list, of which each may be several that commas part.
func Parted(items []string) []string {
	var all []string
	for _, item := range items {
		all = append(all, strings.Split(item, ",")...)
	}
	return all
}
