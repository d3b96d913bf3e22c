package importer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
)

// An import that is killed again and again ends with exactly the log of one that is not.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	kills, writesMost := short.Form(8, 3), 300 // so many writes are less than an import makes, after all kills
	first := writeFile(t, "first.tsv.gz", packed(t, synthetic(10_000, 1)))
	second := writeFile(t, "second.tsv", synthetic(6000, 2))
	whole := openLog(t)
	mustImport(t, whole, files(first, second))
	want := checkpoint(t, whole)

	url := migrated.Fresh(t)
	log := logAt(t, url)
	self := must.Get(os.Executable())(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	progressed := 0
	for attempt := 0; progressed < kills; attempt++ {
		before := must.Get(log.Size(context.Background()))(t)
		child := exec.Command(self)
		child.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{url, first, second}, "\n"), fmt.Sprint(diesEnv, "=", 1+random.IntN(writesMost)))
		says, err := child.CombinedOutput()
		if err == nil || len(says) > 0 {
			t.Fatalf("an import that was to be killed, for the %d. time: %v, %s", attempt, err, says)
		}
		size := must.Get(log.Size(context.Background()))(t)
		if size > before { // not before it had appended anything, when every start is the same
			progressed++
		}
	}
	size := must.Get(log.Size(context.Background()))(t)
	t.Logf("fault: %d kills of an import, at the end at event %d", progressed, size)
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
		now := must.Get(log.Size(context.Background()))(t)
		return now > size || len(ended) > 0
	})
	return ended
}
