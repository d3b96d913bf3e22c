package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// fakeServer creates an installation whose programs only print their version.
func fakeServer(t *testing.T, dir, version string) string {
	t.Helper()
	must.Do(t, os.MkdirAll(dir, 0o755)) // a folder of programs
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	for _, name := range []string{"postgres", "initdb"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755)) // a program
	}
	return must.Get(filepath.EvalSymlinks(dir))(t)
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	lib := func(version string) string { return filepath.Join(root, "lib", version, "bin") }
	v9 := fakeServer(t, lib("9.6"), "9.6.24")
	v15 := fakeServer(t, lib("15"), "15.18 (Debian 15.18-0+deb12u1)")
	v16 := fakeServer(t, lib("16"), "16.2")
	inPath := fakeServer(t, filepath.Join(root, "path"), "17beta1")
	byConfig := fakeServer(t, filepath.Join(root, "config"), "14.1")

	links := filepath.Join(root, "links")
	configs := filepath.Join(root, "configs")
	for _, dir := range []string{links, configs} {
		must.Do(t, os.Mkdir(dir, 0o700))
	}
	must.Do(t, os.Symlink(filepath.Join(v15, "postgres"), filepath.Join(links, "postgres")))
	config := "#!/bin/sh\necho " + byConfig + "\n"
	must.Do(t, os.WriteFile(filepath.Join(configs, "pg_config"), []byte(config), 0o700)) // a program

	places := []string{filepath.Join(root, "lib", "*", "bin")}
	for _, tc := range []struct {
		name   string
		bin    string
		path   string
		places []string
		major  int
		want   string
	}{
		{name: "NamedFolder", bin: v15, path: inPath, places: places, want: v15},
		{name: "NamedProgram", bin: filepath.Join(v15, "postgres"), places: places, want: v15},
		{name: "PathFirst", path: inPath, places: places, want: inPath},
		{name: "LinkInPathIsResolved", path: links, places: places, want: v15},
		{name: "PgConfigNext", path: configs, places: places, want: byConfig},
		{name: "NewestOfTheUsualPlaces", places: places, want: v16},
		{name: "VersionOfTheCluster", path: inPath, places: places, major: 15, want: v15},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := map[string]string{BinEnv: tc.bin, "PATH": tc.path}
			f := finder{getenv: func(name string) string { return env[name] }, places: tc.places}
			got, err := f.find(t.Context(), tc.major, "data")
			if err != nil || got.dir != tc.want {
				t.Errorf("got %s, %v, want %s", got.dir, err, tc.want)
			}
		})
	}

	t.Run("TooOld", func(t *testing.T) {
		f := finder{getenv: func(string) string { return "" }, places: []string{v9}}
		_, err := f.find(t.Context(), 0, "data")
		var missing *NoBinariesError
		if !errors.As(err, &missing) || len(missing.Unfit) != 1 || !strings.Contains(err.Error(), "too old") {
			t.Errorf("got %v, want a *NoBinariesError that names the old version", err)
		}
	})
	t.Run("NowhereAtAll", func(t *testing.T) {
		f := finder{getenv: func(string) string { return "" }}
		_, err := f.find(t.Context(), 0, "data")
		var missing *NoBinariesError
		if !errors.As(err, &missing) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want a *NoBinariesError of one line", err)
		}
	})
	t.Run("NamedFolderHidesTheRest", func(t *testing.T) {
		env := map[string]string{BinEnv: configs, "PATH": inPath}
		f := finder{getenv: func(name string) string { return env[name] }, places: places}
		if got, err := f.find(t.Context(), 0, "data"); err == nil {
			t.Errorf("got %s although %s names another folder", got.dir, BinEnv)
		}
	})
}

func TestInstallHint(t *testing.T) {
	for _, tc := range []struct{ name, goos, release, want string }{
		{"Debian", "linux", "PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", "apt-get install postgresql"},
		{"Derivative", "linux", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt-get install postgresql"},
		{"RedHat", "linux", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install postgresql-server"},
		{"Alpine", "linux", "NAME=\"Alpine\"\nID=alpine\n", "apk add postgresql"},
		{"MacOS", "darwin", "", "brew install postgresql"},
		{"Other", "linux", "", "PostgreSQL server package"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := installHint(tc.goos, tc.release); !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want it to contain %q", got, tc.want)
			}
		})
	}
}

func TestParseVersion(t *testing.T) {
	for _, tc := range []struct {
		line string
		want int
	}{
		{"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15},
		{"postgres (PostgreSQL) 17beta1", 17},
		{"postgres (PostgreSQL) 18devel", 18},
		{"postgres (EnterpriseDB) x", 0},
		{"", 0},
	} {
		got, err := parseVersion(tc.line)
		if got != tc.want || (err == nil) != (tc.want != 0) {
			t.Errorf("%q: got %d, %v, want %d", tc.line, got, err, tc.want)
		}
	}
}
