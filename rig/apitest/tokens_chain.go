package apitest

import (
	"fmt"
	"net/url"
	"strings"
)

// happening is an event of a canonical block, in the order of execution.
type happening struct {
	event          Fields
	txid           string
	height, number int // number: among the events of its transaction
}

// data is what an event says of itself.
func (e happening) data() map[string]any {
	data, _ := e.event[fmt.Sprint(e.event["type"])].(map[string]any)
	return data
}

// walk reads all of a list whose pages have a cursor to the next.
func (s *Site) walk(path string, limit int) (results []Fields, total any) {
	s.T.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	target := fmt.Sprintf("%s%slimit=%d", path, separator, limit)
	for next := target; ; {
		page := s.Object(next)
		total = page["total"]
		for _, one := range page["results"].([]any) {
			results = append(results, one.(map[string]any))
		}
		cursor := page["cursor"].(map[string]any)["next"]
		if cursor == nil {
			return results, total
		}
		next = target + "&cursor=" + url.QueryEscape(fmt.Sprint(cursor))
	}
}

func objectsOf(list any) (objects []Fields) {
	for _, one := range list.([]any) {
		objects = append(objects, one.(map[string]any))
	}
	return objects
}
