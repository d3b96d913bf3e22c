package postgres

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// Config describes where the cluster is and how its server runs.
type Config struct {
	// DataDir is strata's data directory, which Start creates if it does not exist. The cluster is in its folder
	// "postgres".
	DataDir string

	// Log is the logger; nil for none.
	Log *slog.Logger

	// NoFsync trades durability for speed: a crash of the machine may destroy the cluster. For tests only.
	NoFsync bool

	// Settings are further server settings, by their names in postgresql.conf, with unquoted values. They override the
	// defaults of this package. They take effect when the server starts, not when Start finds a running one. They
	// cannot change how the server is reached (listen_addresses, port, unix_socket_*).
	Settings map[string]string
}

// settingsFile is rewritten at each launch and included at the end of postgresql.conf. ALTER SYSTEM overrides it,
// because the server reads that file later.
const settingsFile = "strata.conf"

// defaultSettings returns settings for a laptop, or for a small server that also does other work.
func defaultSettings() map[string]string {
	return map[string]string{
		"max_connections":              "100",
		"shared_buffers":               "256MB",
		"maintenance_work_mem":         "128MB",
		"work_mem":                     "16MB",
		"wal_compression":              "on",
		"min_wal_size":                 "256MB",
		"max_wal_size":                 "4GB",
		"checkpoint_timeout":           "15min",
		"checkpoint_completion_target": "0.9",
		"random_page_cost":             "1.1",
		"jit":                          "off",
		"timezone":                     "UTC",
		"log_timezone":                 "UTC",
		"log_checkpoints":              "off",
	}
}

// noFsyncSettings returns the settings of Config.NoFsync. The server still passes a commit to the operating system
// before it acknowledges it, so the commit survives a kill -9 of the server.
func noFsyncSettings() map[string]string {
	return map[string]string{"fsync": "off", "full_page_writes": "off"}
}

// settings merges the layers of settings. Later ones override earlier ones: defaults, settings that this build of the
// server supports, NoFsync, Settings.
func (c Config) settings(supported map[string]string) map[string]string {
	all := defaultSettings()
	maps.Copy(all, supported)
	if c.NoFsync {
		maps.Copy(all, noFsyncSettings())
	}
	maps.Copy(all, c.Settings)
	return all
}

// renderSettings returns settings in the syntax of postgresql.conf, sorted by name.
func renderSettings(settings map[string]string) []byte {
	var b strings.Builder
	b.WriteString("# Written by strata at each start of the server. Use ALTER SYSTEM for settings of your own.\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := strings.NewReplacer(`\`, `\\`, `'`, `''`, "\n", `\n`).Replace(settings[name])
		fmt.Fprintf(&b, "%s = '%s'\n", name, value)
	}
	return []byte(b.String())
}
