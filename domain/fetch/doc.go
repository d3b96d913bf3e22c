// Package fetch describes data that projections want from outside the log, and the events that report what came of it.
//
// A projection makes no network request. It keeps a [Want] in its tables. A process with the role metadata makes the
// request and appends a [Report] to the log, with everything that was sent and received. Only from the log does the
// data reach a table. Reports that found nothing new and came together are one event, a [Recheck]. So the same log
// always gives the same rows, and a rebuild makes no request. When a person wants something fetched again, that is an
// event, too: a [Refresh]. So is the decision to fetch nothing for a contract for a while: a [Rest].
package fetch

// Paths of the events in the log. The path of a posted event begins with a slash, so nobody can post these events, nor
// import them with an archive of posted events.
const (
	PathReport  = "strata:fetch"
	PathRefresh = "strata:refresh"
	PathRest    = "strata:rest"
	PathRecheck = "strata:recheck"
)

// Paths has the paths of the events that this package describes.
var Paths = []string{PathReport, PathRefresh, PathRest, PathRecheck}

// ContentType is the content type of the events.
const ContentType = "application/json"
