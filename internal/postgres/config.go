package postgres

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// Config says where the cluster lives and how it runs.
type Config struct {
	// DataDir is strata's data directory; the cluster lives in its folder "postgres". Made when it does not exist.
	DataDir string

	// Log receives what the package does. Nil: nothing is logged.
	Log *slog.Logger

	// NoFsync trades durability for speed: a crash of the machine may then lose the cluster. For tests only.
	NoFsync bool

	// Settings are further server settings (postgresql.conf names and plain values). They win over the defaults
	// of this package and take effect when the server is started, not when a running one is found. How the
	// server is reached (listen_addresses, port, unix_socket_*) is not open to change.
	Settings map[string]string
}

// settingsFile is rewritten at each launch and included at the end of postgresql.conf. It can be overruled by
// ALTER SYSTEM, whose file the server reads later.
const settingsFile = "strata.conf"

// defaultSettings suit a laptop or a small server that does other work as well.
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

// noFsyncSettings are what Config.NoFsync adds. A commit is still handed to the operating system before it is
// acknowledged, so it survives a kill -9 of the server.
func noFsyncSettings() map[string]string {
	return map[string]string{"fsync": "off", "full_page_writes": "off"}
}

// settings merges the layers, the later winning: defaults, what this build of the server offers, NoFsync, the
// caller's own.
func (c Config) settings(offered map[string]string) map[string]string {
	all := defaultSettings()
	maps.Copy(all, offered)
	if c.NoFsync {
		maps.Copy(all, noFsyncSettings())
	}
	maps.Copy(all, c.Settings)
	return all
}

// renderSettings writes settings in postgresql.conf syntax, sorted by name.
func renderSettings(settings map[string]string) []byte {
	var b strings.Builder
	b.WriteString("# Written by strata at each start of the server. Use ALTER SYSTEM for settings of your own.\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := strings.NewReplacer(`\`, `\\`, `'`, `''`, "\n", `\n`).Replace(settings[name])
		fmt.Fprintf(&b, "%s = '%s'\n", name, value)
	}
	return []byte(b.String())
}
