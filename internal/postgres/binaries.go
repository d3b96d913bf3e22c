package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// BinEnv is the environment variable that names the folder of the server's binaries. If it is set, no other folder is
// searched.
const BinEnv = "STRATA_POSTGRES_BIN"

// MinVersion is the oldest major version of PostgreSQL that strata runs on.
const MinVersion = 14

// binaries is one installation of the server.
type binaries struct {
	dir   string
	major int
}

func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }
func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }
func (b binaries) String() string   { return fmt.Sprintf("%d in %s", b.major, b.dir) }

// usualPlaces are patterns of the folders in which packages install the server's binaries.
var usualPlaces = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // PGDG packages for Red Hat
	"/usr/libexec/postgresql*",          // Alpine
	"/usr/local/pgsql/bin",              // built from source
	"/opt/homebrew/opt/postgresql*/bin", // Homebrew, Apple silicon
	"/usr/local/opt/postgresql*/bin",    // Homebrew, Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// finder searches for installations. Tests replace its fields.
type finder struct {
	getenv func(string) string
	places []string
}

func newFinder() finder { return finder{getenv: os.Getenv, places: usualPlaces} }

// find returns the installation to use: the first one of the given major version or, if major is 0, the first one that
// is new enough. The error is a *NoBinariesError; a *VersionError that names pgdata if the given version is not installed;
// or that of the context.
func (f finder) find(ctx context.Context, major int, pgdata string) (binaries, error) {
	looked := []string{BinEnv}
	dirs := f.explicit()
	if dirs == nil {
		dirs = f.search(ctx)
		looked = []string{"PATH", "pg_config --bindir", "the usual places"}
	} else {
		looked[0] = fmt.Sprintf("%s=%s", BinEnv, f.getenv(BinEnv))
	}

	var unfit, found []string
	for b, err := range inspect(ctx, dirs) {
		switch {
		case err != nil:
			unfit = append(unfit, err.Error())
		case major != 0 && b.major != major:
			found = append(found, b.String())
		default:
			return b, nil
		}
	}
	if ctx.Err() != nil {
		return binaries{}, fmt.Errorf("look for a PostgreSQL server: %w", context.Cause(ctx))
	}
	if major != 0 {
		return binaries{}, &VersionError{DataDir: pgdata, Want: major, Looked: looked, Found: found,
			Install: installVersion(runtime.GOOS, osRelease(), major)}
	}
	return binaries{}, &NoBinariesError{Looked: looked, Unfit: unfit, Hint: installHint(runtime.GOOS, osRelease())}
}

// inspect yields the installations in dirs, each once, or the reason why one can't be used.
func inspect(ctx context.Context, dirs []string) iter.Seq2[binaries, error] {
	return func(yield func(binaries, error) bool) {
		seen := map[string]bool{}
		for _, dir := range dirs {
			dir, ok := installation(dir)
			if !ok || seen[dir] {
				continue
			}
			seen[dir] = true
			major, err := majorVersion(ctx, filepath.Join(dir, "postgres"))
			if err == nil && major < MinVersion {
				err = fmt.Errorf("version %d in %s is too old", major, dir)
			}
			if !yield(binaries{dir: dir, major: major}, err) {
				return
			}
		}
	}
}

// Installed describes the installation that a new private Postgres would use, by version and folder. The error is a
// *NoBinariesError if there is none.
func Installed(ctx context.Context) (string, error) {
	found, err := newFinder().find(ctx, 0, "")
	if err != nil {
		return "", err
	}
	return found.String(), nil
}

// explicit returns the folder that BinEnv names, directly or by the server binary in it; nil if BinEnv is not set.
func (f finder) explicit() []string {
	dir := f.getenv(BinEnv)
	if dir == "" {
		return nil
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	return []string{dir}
}

// search returns the folders that may contain the binaries, in order of preference.
func (f finder) search(ctx context.Context) []string {
	path := filepath.SplitList(f.getenv("PATH"))
	dirs := slices.Clone(path)
	for _, dir := range path {
		config := filepath.Join(dir, "pg_config")
		if !executable(config) {
			continue
		}
		if out, err := exec.CommandContext(ctx, config, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
		break
	}
	for _, pattern := range f.places {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // a malformed pattern matches nothing
		}
		slices.SortFunc(matches, func(a, b string) int { return cmp.Compare(trailingVersion(b), trailingVersion(a)) })
		dirs = append(dirs, matches...)
	}
	return dirs
}

// installation resolves links in dir/postgres, and returns the real folder and whether it contains initdb, too. The
// server finds its share folder relative to its real path, so a link such as one in /usr/local/bin must be resolved.
func installation(dir string) (string, bool) {
	if dir == "" || !executable(filepath.Join(dir, "postgres")) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return "", false
	}
	if real, err = filepath.Abs(filepath.Dir(real)); err != nil {
		return "", false
	}
	return real, executable(filepath.Join(real, "initdb")) && executable(filepath.Join(real, "postgres"))
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

var digits = regexp.MustCompile(`\d+`)

// trailingVersion returns the last number in a path, such as 16 for "/usr/lib/postgresql/16/bin"; 0 if there is none.
func trailingVersion(path string) int {
	all := digits.FindAllString(path, -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.Atoi(all[len(all)-1])
	if err != nil {
		return 0
	}
	return n
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// majorVersion asks the server binary for its version.
func majorVersion(ctx context.Context, postgres string) (int, error) {
	out, err := exec.CommandContext(ctx, postgres, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s --version: %w", postgres, err)
	}
	return parseVersion(string(out))
}

func parseVersion(line string) (int, error) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return 0, fmt.Errorf("not a PostgreSQL version: %.80q", strings.TrimSpace(line))
	}
	return strconv.Atoi(m[1])
}

// pgVersion returns the major version that created pgdata; 0 if there is none yet.
func pgVersion(pgdata string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(pgdata, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the cluster: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0, fmt.Errorf("read the version of the cluster in %s: %w", pgdata, err)
	}
	return major, nil
}

// osRelease returns the text of /etc/os-release; empty if there is none.
func osRelease() string {
	raw, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return ""
	}
	return string(raw)
}

var releaseIDs = regexp.MustCompile(`(?m)^ID(?:_LIKE)?="?([^"\n]*)"?$`)

// system is the kind of system that programs are installed on, such as "debian" or "darwin"; empty if it is another one.
func system(goos, release string) string {
	if goos == "darwin" {
		return goos
	}
	for _, m := range releaseIDs.FindAllStringSubmatch(release, -1) {
		for id := range strings.FieldsSeq(m[1]) {
			switch id {
			case "debian", "ubuntu":
				return "debian"
			case "fedora", "rhel", "centos":
				return "fedora"
			case "suse", "opensuse":
				return "suse"
			case "alpine", "arch":
				return id
			}
		}
	}
	return ""
}

// installHint returns the command that installs the server on this system, and the alternatives.
func installHint(goos, release string) string {
	install := "your system's PostgreSQL server package"
	switch system(goos, release) {
	case "darwin":
		install = "it with: brew install postgresql@17"
	case "debian":
		install = "it with: apt-get install postgresql"
	case "fedora":
		install = "it with: dnf install postgresql-server"
	case "alpine":
		install = "it with: apk add postgresql"
	case "arch":
		install = "it with: pacman -S postgresql"
	case "suse":
		install = "it with: zypper install postgresql-server"
	}
	return fmt.Sprintf("install %s (or set %s to the folder of its binaries, or STRATA_DATABASE_URL to a database)",
		install, BinEnv)
}

// installVersion tells how to install one major version on this system.
func installVersion(goos, release string, major int) string {
	switch system(goos, release) {
	case "darwin":
		return fmt.Sprintf("install it with: brew install postgresql@%d", major)
	case "debian":
		return fmt.Sprintf("install it with: apt-get install postgresql-%d (from apt.postgresql.org if your release has another)", major)
	case "fedora":
		return fmt.Sprintf("install it with: dnf install postgresql%d-server (from yum.postgresql.org if your release has another)", major)
	case "alpine":
		return fmt.Sprintf("install it with: apk add postgresql%d", major)
	case "suse":
		return fmt.Sprintf("install it with: zypper install postgresql%d-server", major)
	}
	return fmt.Sprintf("install the server of PostgreSQL %d", major)
}
