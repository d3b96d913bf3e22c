package topic

import "strings"

// All is the topic of every event in the log.
const All = "log"

// Path is where the events of a topic other than All were posted: "new_block" is /new_block, "attachments:new" is
// /attachments/new.
func Path(topic string) string { return "/" + strings.ReplaceAll(topic, ":", "/") }

// Name is the topic of the events that were posted to path; the inverse of Path.
func Name(path string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ":")
}
