package readapi

import "fmt"

// Version of the program.
type Version struct {
	Tag    string // such as v1.2.0; default dev
	Branch string // default unknown
	Commit string // default unknown
}

// String is "<tag> (<branch>:<commit>)", the value of the header X-API-Version.
func (v Version) String() string {
	return fmt.Sprintf("%s (%s:%s)", or(v.Tag, "dev"), or(v.Branch, "unknown"), or(v.Commit, "unknown"))
}

// or is value, or otherwise when that is empty.
func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
