package serve

import (
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"strata/cmd/strata/internal/database"
	"strata/internal/diskspace"
)

// watchedDisk returns the guard of the disk that the database is on; nil where none is watched. Only the operator knows which disk a
// Postgres is on that this process has not started. A folder that can't be looked at is an error, not a disk with enough space.
func (c *Command) watchedDisk(db *database.DB, logger *slog.Logger, registry prometheus.Registerer) (*diskspace.Guard, error) {
	folder := db.DataDir
	if c.DiskFolder != "" {
		folder = c.DiskFolder
		if _, known := diskspace.Free(folder); !known {
			return nil, fmt.Errorf("--disk-folder: it can't be found out how much is free on the disk of %s: want a folder that this user can reach", folder)
		}
	}
	return diskspace.NewGuard(folder, c.DiskFloor, logger, registry), nil
}
