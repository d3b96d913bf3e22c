package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"strata/internal/diskspace"
)

// disk checks the free space of the disk that a server would watch: that of the data directory, where the private Postgres and spooled
// bodies are, or the one that the settings name.
func (x *examination) disk() {
	const subject = "disk"
	folder := x.command.DiskFolder
	if folder != "" {
		if _, known := diskspace.Free(folder); !known {
			x.add(Failure, subject, "Name a folder that this user can reach with --disk-folder.", "it can't be found out how much is free on the disk of %s: strata serve does not start", folder)
			return
		}
	} else {
		folder = x.command.Database.DataDir
	}
	// Before the first start, the folder that will hold it tells.
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	free, known := diskspace.Free(folder)
	floor := x.command.DiskFloor
	switch {
	case !known:
		x.add(Note, subject, "", "this system does not tell how much is free in %s", folder)
	case free < floor:
		x.add(Failure, subject, "Free some space, or lower --disk-floor.", "%s free in %s, less than --disk-floor: events are refused", size(free), folder)
	case free < 4*floor:
		x.add(Warning, subject, "Free some space.", "%s free in %s, less than four times --disk-floor: builds of read tables pause", size(free), folder)
	default:
		x.add(OK, subject, "", "%s free in %s", size(free), folder)
	}
}

func size(bytes int64) string { return fmt.Sprintf("%.1f GB", float64(bytes)/1e9) }
