package topic

import "strings"

// All is the topic with every event of the log.
const All = "log"

// Path returns the path to which the events of a topic other than All were posted: /new_block for "new_block",
// /attachments/new for "attachments:new".
func Path(topic string) string { return "/" + strings.ReplaceAll(topic, ":", "/") }

// Name returns the topic of the events that were posted to path. It is the inverse of Path.
func Name(path string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ":")
}
