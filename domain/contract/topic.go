package contract

import (
	"strings"
	"unicode/utf8"

	"strata/domain/clarity"
)

// topicFields lists the tuple fields in which contracts name what they print, the most reliable first. Contracts use
// topic and event for nothing else. A tuple with an action or a notification may hold the type of something else, and a
// name is often the name of a thing. Many contracts use event or action; token metadata notifications use notification,
// and the stacking boot contracts name.
var topicFields = [...]string{"topic", "event", "action", "notification", "type", "name"}

// MaxTopicLength is the maximum length of a topic in bytes.
const MaxTopicLength = 128

// Topic returns the topic of a printed value, given in its consensus serialization, or "" for a value without a topic.
// The tuple with the topic may be wrapped in ok, err or some, as the boot contracts do. In the topic, U+FFFD replaces
// what a text column cannot hold: ill-formed UTF-8 and zero characters.
func Topic(raw []byte) string {
	value, err := clarity.DecodeAll(raw)
	if err != nil {
		return ""
	}
	if inner, ok := value.Inner(); ok {
		value = inner
	}
	for _, name := range topicFields {
		field, ok := value.Field(name)
		if !ok {
			continue
		}
		text, ok := field.Text()
		if !ok {
			continue
		}
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		}
		if len(text) > MaxTopicLength {
			return ""
		}
		return text
	}
	return ""
}
