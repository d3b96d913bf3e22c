package postgres

import (
	"os"
	"path/filepath"
	"testing"
)

// The reason for a failure is in a log that is removed afterwards.
func TestUpgradeFailure(t *testing.T) {
	t.Parallel()
	h := home{dir: t.TempDir()}
	if err := os.Mkdir(h.workDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	log := "pg_restore: creating TABLE \"log.event\"\n" +
		"pg_restore: error: could not execute query: ERROR:  compression method lz4 not supported\n" +
		"DETAIL:  This functionality requires the server to be built with lz4 support.\n" +
		"Command was: \nCREATE TABLE x (\n);\n\n"
	if err := os.WriteFile(filepath.Join(h.workDir(), "dump_1.log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	const says = "Performing Upgrade\n------------------\nSetting next OID   ok\nRestoring database schemas   \n*failure*\n\n"
	const want = "pg_restore: error: could not execute query: ERROR:  compression method lz4 not supported; " +
		"DETAIL:  This functionality requires the server to be built with lz4 support."
	for name, path := range map[string]string{"relative": "dump_1.log", "absolute": filepath.Join(h.workDir(), "dump_1.log")} {
		if got := h.upgradeFailure([]byte(says + "Consult the last few lines of \"" + path + "\" for\nthe probable cause of the failure.\nFailure, exiting\n")); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for name, end := range map[string]string{"no log": "", "a log that is gone": "Consult the last few lines of \"gone.log\" for\n"} {
		got := h.upgradeFailure([]byte(says + end + "Failure, exiting\n"))
		if want := "Performing Upgrade; Restoring database schemas; *failure*; "; len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
