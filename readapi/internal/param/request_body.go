package param

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"strata/readapi/internal/engine"
)

// MembersOf returns the members of the JSON object that is a request's body.
func MembersOf(body []byte) (members map[string]json.RawMessage, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&members); err != nil || members == nil {
		return nil, engine.Invalid("body must be object")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, engine.Invalid("body must be object")
	}
	return members, nil
}

// TextMember returns a string member of an object. The text has to match the pattern, unless that is nil; given reports
// whether the member is present.
func TextMember(members map[string]json.RawMessage, name string, pattern *regexp.Regexp) (text string, given bool, err error) {
	value, given := members[name]
	if !given {
		return "", false, nil
	}
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return "", true, engine.Invalid("body/%s must be string", name)
	}
	if pattern != nil && !pattern.MatchString(text) {
		return "", true, engine.Invalid(`body/%s must match pattern "%s"`, name, pattern)
	}
	return text, true, nil
}
