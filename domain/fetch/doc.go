// Package fetch describes what projections want from outside of the log, and the events that say what came of it.
//
// A projection makes no request. It keeps a [Want] in its tables; whoever has the role metadata does the request, and
// appends a [Report] with everything that was sent and received to the log. Only then does it reach a table. So the
// same log gives the same rows, and a rebuild asks nobody. A person's wish to have something fetched again is an event
// as well: a [Refresh].
package fetch

// Paths under which the events stand in the log. What is posted has a path that begins with a slash, so nobody can post
// such an event, nor bring one in through an archive of what was posted.
const (
	PathReport  = "strata:fetch"
	PathRefresh = "strata:refresh"
)

// Paths are those of the events that this package describes.
var Paths = []string{PathReport, PathRefresh}

// ContentType of the events.
const ContentType = "application/json"
