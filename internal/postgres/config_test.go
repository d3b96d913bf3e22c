package postgres

import "testing"

func TestSettingsLayers(t *testing.T) {
	c := Config{NoFsync: true, Settings: map[string]string{"shared_buffers": "64MB", "fsync": "on"}}
	got := c.settings(map[string]string{"wal_compression": "lz4"})
	for name, want := range map[string]string{
		"max_connections":  "100",  // default
		"wal_compression":  "lz4",  // supported by the build
		"full_page_writes": "off",  // NoFsync
		"shared_buffers":   "64MB", // Settings override the default
		"fsync":            "on",   // Settings override NoFsync
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	if _, ok := (Config{}).settings(nil)["fsync"]; ok {
		t.Error("the zero Config sets fsync")
	}
}
