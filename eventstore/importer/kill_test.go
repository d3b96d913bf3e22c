package importer_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/internal/testkit/eventually"
)

// An import that is killed again and again ends with exactly the log of one that is not.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	const kills = 8
	first := writeFile(t, "first.tsv.gz", packed(t, synthetic(10_000, 1)))
	second := writeFile(t, "second.tsv", synthetic(6000, 2))
	whole := openLog(t)
	mustImport(t, whole, files(first, second))
	want := checkpoint(t, whole)

	url := migrated.Fresh(t)
	log := logAt(t, url)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	progressed, finished := 0, false
	for attempt := 0; attempt < 200 && progressed < kills && !finished; attempt++ {
		before, err := log.Size(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command(self)
		child.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{url, first, second}, "\n"))
		var says bytes.Buffer
		child.Stderr = &says
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// Not before it has appended anything, or every start would be the same.
		ended := awaitProgress(t, log, before, child)
		time.Sleep(time.Duration(random.IntN(30_000)) * time.Microsecond)
		_ = child.Process.Kill()
		if err := <-ended; err == nil {
			finished = true // it was faster
		} else if says.Len() > 0 {
			t.Fatalf("import: %s", says.String())
		}
		progressed++
	}
	size, err := log.Size(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("fault: %d kills of an import, at the end at event %d", progressed, size)
	if finished || progressed < 7 {
		t.Errorf("the import was killed %d times and finished by itself: %t; want 7 kills at least", progressed, finished)
	}
	mustImport(t, log, files(first, second))
	if got := checkpoint(t, log); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if result := mustImport(t, log, files(first, second)); result.Events != 0 || !result.Files[0].AlreadyImported() || !result.Files[1].AlreadyImported() {
		t.Errorf("once more: got %+v, want nothing to do", result)
	}
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), mustExport(t, whole, importer.ExportOptions{}))
}

// awaitProgress returns when an import has appended to a log that had size events, or has ended. The channel gets how it ended.
func awaitProgress(t *testing.T, log *eventstore.Log, size int64, child *exec.Cmd) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	eventually.Holds(t, "the import appends", func() bool {
		now, err := log.Size(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return now > size || len(ended) > 0
	})
	return ended
}
