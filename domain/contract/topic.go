package contract

import (
	"strings"
	"unicode/utf8"

	"strata/domain/clarity"
)

// topicFields are those in which contracts say what it is that they print, the more telling ones first: topic and event are
// for nothing else, a tuple with an action or a notification may have a type of something else, and a name is often that of a
// thing. Many contracts use event or action, token metadata notifications notification, and the boot contracts for stacking
// name.
var topicFields = [...]string{"topic", "event", "action", "notification", "type", "name"}

// TopicMax bounds topics, in bytes.
const TopicMax = 128

// Topic is the topic of a printed value, serialised as consensus does; empty for one that names none. The tuple may stand in a
// response or an option, as what the boot contracts print does. What no column of text can hold is U+FFFD in it.
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
		if len(text) > TopicMax {
			return ""
		}
		return text
	}
	return ""
}
