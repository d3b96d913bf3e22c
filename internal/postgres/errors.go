package postgres

import (
	"fmt"
	"strings"
)

// NoBinariesError means that no usable PostgreSQL server is installed. Its message is one line that names the package
// to install.
type NoBinariesError struct {
	// Looked has the places that were searched, in order.
	Looked []string
	// Unfit has the installations that cannot be used, each with the reason.
	Unfit []string
	// Hint tells the operator what to do.
	Hint string
}

func (e *NoBinariesError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no PostgreSQL server (postgres and initdb, version %d or newer) found in %s",
		MinVersion, strings.Join(e.Looked, ", "))
	if len(e.Unfit) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Unfit, "; "))
	}
	fmt.Fprintf(&b, ": %s", e.Hint)
	return b.String()
}

// VersionError means that the major version of PostgreSQL that created the cluster is not installed, or not any more.
type VersionError struct {
	DataDir string   // PGDATA
	Want    int      // the major version that created it
	Looked  []string // the places that were searched, in order
	Found   []string // the installed versions, such as "16 in /usr/lib/postgresql/16/bin"
	Install string   // how to install the version that is wanted
}

func (e *VersionError) Error() string {
	found := "none"
	if len(e.Found) > 0 {
		found = strings.Join(e.Found, ", ")
	}
	return fmt.Sprintf("%s was created by PostgreSQL %d, which is not installed (found in %s: %s): %s, or set %s to the folder of its binaries; "+
		"to move the log to another version, strata export with %[6]s naming the old binaries, "+
		"then strata import with the new ones into another --data-dir (docs/runbook.md)",
		e.DataDir, e.Want, strings.Join(e.Looked, ", "), found, e.Install, BinEnv)
}

// UnfinishedError means that an earlier release of strata was interrupted while it upgraded the cluster with pg_upgrade.
type UnfinishedError struct {
	Dir string // the cluster's folder
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("private PostgreSQL in %s: its upgrade to another version of PostgreSQL was interrupted (%s): "+
		"finish or undo it with the release of strata that began it (strata upgrade-postgres)", e.Dir, upgradeFile)
}

// AccessError means that the user that must run the server cannot use the cluster's folder.
type AccessError struct {
	Path   string // the folder
	Reason string // who cannot do what
	Hint   string // tells the operator what to do
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("private PostgreSQL in %s: %s: %s", e.Path, e.Reason, e.Hint)
}

// ServerError means that initdb or the server failed. It quotes the last lines of the program's output.
type ServerError struct {
	Op     string // "initdb" or "start the server"
	Dir    string // the cluster's folder
	Output string // the last lines, joined by "; "
	Err    error  // how the process ended
}

func (e *ServerError) Error() string {
	msg := fmt.Sprintf("private PostgreSQL in %s: %s: %s", e.Dir, e.Op, lastLines([]byte(e.Err.Error())))
	if e.Output != "" {
		msg += ": " + e.Output
	}
	return msg
}

func (e *ServerError) Unwrap() error { return e.Err }
