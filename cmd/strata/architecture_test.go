package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// The list of folders in docs/architecture.md has every folder with Go files, and no other.
func TestDocumentedFolders(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(documentText(t, "docs/architecture.md"), "\n## Folders\n")
	blocks, _ := fenced(section)
	if len(blocks) == 0 {
		t.Fatal("docs/architecture.md has no list of folders")
	}
	documented := documentedFolders(blocks[0])
	folders := map[string]bool{}
	for _, file := range repositoryFiles(t) {
		if strings.HasSuffix(file, ".go") {
			folders[path.Dir(file)] = true
		}
	}
	for folder := range folders {
		if !documented[folder] {
			t.Errorf("docs/architecture.md lacks the folder %s", folder)
		}
	}
	for folder := range documented {
		holdsAnother := slices.ContainsFunc(slices.Collect(maps.Keys(folders)), func(other string) bool { return strings.HasPrefix(other, folder+"/") })
		if !folders[folder] && !holdsAnother {
			t.Errorf("docs/architecture.md has the folder %s, where no Go file is", folder)
		}
	}
}

// documentedFolders returns the folders of a list whose lines are names, separated by commas, and after two spaces a description.
// The folders of an indented line are in the first folder of the nearest line above that is indented less.
func documentedFolders(list string) map[string]bool {
	folders := map[string]bool{}
	var parents []string // one for each step of two spaces
	for line := range strings.Lines(list) {
		text := strings.TrimLeft(line, " ")
		parents = parents[:min((len(line)-len(text))/2, len(parents))]
		text, _, _ = strings.Cut(strings.TrimSpace(text), "  ")
		names := strings.Split(text, ", ")
		for _, name := range names {
			folders[path.Join(path.Join(parents...), name)] = true
		}
		parents = append(parents, names[0])
	}
	return folders
}

var (
	decisionLink = regexp.MustCompile(`\[([^\]]*)\]\(([\w./-]*\b\d{3}-[\w-]+\.md)[^)]*\)`)
	decisionFile = regexp.MustCompile(`\bdocs/decisions/\d{3}-[\w-]+\.md`)
	bareDecision = regexp.MustCompile(`(?i)\bdecisions?\s+(?:(?://|#|--)\s+)?\d{3}\b`)
	number       = regexp.MustCompile(`\b\d{3}\b`)
)

// Documents and comments name a decision by its file, not by its number alone, which nobody sees to be wrong.
func TestDocumentedDecisions(t *testing.T) {
	t.Parallel()
	files := repositoryFiles(t)
	exists := func(file string) bool { return slices.Contains(files, file) }
	named := 0
	for _, file := range files {
		if !slices.Contains([]string{".go", ".md", ".sql", ".yml", ".sh", ""}, path.Ext(file)) {
			continue
		}
		text := documentText(t, file)
		if !strings.Contains(text, "ecision") && path.Dir(file) != "docs/decisions" { // most have none, and are long
			continue
		}
		for _, link := range decisionLink.FindAllStringSubmatch(text, -1) {
			named++
			target := path.Join(path.Dir(file), link[2])
			if !exists(target) || path.Dir(target) != "docs/decisions" {
				t.Errorf("%s: there is no decision %s", file, link[2])
			}
			if stated := number.FindString(link[1]); stated != "" && stated != path.Base(target)[:3] {
				t.Errorf("%s: %q leads to %s", file, link[1], link[2])
			}
		}
		for _, target := range decisionFile.FindAllString(text, -1) {
			named++
			if !exists(target) {
				t.Errorf("%s: there is no decision %s", file, target)
			}
		}
		for _, bare := range bareDecision.FindAllString(decisionLink.ReplaceAllString(text, ""), -1) {
			t.Errorf("%s: %q should be a link, or the path of the file", file, bare)
		}
	}
	if named < 50 {
		t.Errorf("found %d decisions that are named, want them all", named)
	}
}

// The index of decisions has each of them, with its title.
func TestIndexOfDecisions(t *testing.T) {
	t.Parallel()
	const folder = "docs/decisions/"
	titles := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^- \[(\d{3})\]\(([^)]*)\) (.*?)(?: \(superseded\))?$`).FindAllStringSubmatch(documentText(t, folder+"README.md"), -1) {
		titles[folder+row[2]] = row[1] + " " + row[3]
	}
	for _, file := range repositoryFiles(t) {
		if path.Dir(file)+"/" != folder || path.Base(file) == "README.md" {
			continue
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(documentText(t, file), "# "), "\n")
		if titles[file] != title {
			t.Errorf("the index calls %s %q, its title is %q", file, titles[file], title)
		}
		delete(titles, file)
	}
	if len(titles) > 0 {
		t.Errorf("the index has decisions that there are not: %v", titles)
	}
}

// repositoryFiles returns the paths of the repository's files, without what git ignores and fixtures of tests.
func repositoryFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	must.Do(t, fs.WalkDir(os.DirFS(repository(t)), ".", func(file string, entry fs.DirEntry, err error) error {
		switch name := path.Base(file); {
		case err != nil:
			return err
		case !entry.IsDir():
			if entry.Type().IsRegular() && name != ".git" {
				files = append(files, file)
			}
		case name != "." && strings.HasPrefix(name, "."), name == "node_modules", name == "testdata", file == "bin":
			return fs.SkipDir
		}
		return nil
	}))
	return files
}
