package engine

import (
	"cmp"
	"fmt"
)

// Version identifies a build of the program.
type Version struct {
	Tag    string // such as v1.2.0; default dev
	Branch string // default unknown
	Commit string // default unknown
}

// String returns "<tag> (<branch>:<commit>)", the value of the header X-API-Version.
func (v Version) String() string {
	return fmt.Sprintf("%s (%s:%s)", cmp.Or(v.Tag, "dev"), cmp.Or(v.Branch, "unknown"), cmp.Or(v.Commit, "unknown"))
}
