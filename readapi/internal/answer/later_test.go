package answer_test

import (
	"bytes"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

// A form is made once, when it is asked for, and the cache is told.
func TestFormsAreMadeWhenTheyAreAskedFor(t *testing.T) {
	a := answer.New(jsonConfig())
	var told atomic.Int32
	a.WhenHeavier(func() { told.Add(1) })
	weight := a.Weight()
	for _, header := range []http.Header{{}, {"If-None-Match": {tagHex}, "Accept-Encoding": {"zstd"}}} {
		if get(a, header); a.Weight() != weight || told.Load() != 0 {
			t.Errorf("%v: it weighs %d bytes after %d, told %d times", header, a.Weight(), weight, told.Load())
		}
	}
	for i, encoding := range []string{"zstd", "gzip"} {
		header := http.Header{"Accept-Encoding": {encoding}}
		bodies := make([][]byte, 8)
		var group sync.WaitGroup
		for n := range bodies {
			group.Go(func() { bodies[n] = get(a, header).Body.Bytes() })
		}
		group.Wait()
		for _, body := range bodies {
			if !bytes.Equal(body, bodies[0]) {
				t.Fatalf("%s: two forms", encoding)
			}
		}
		if grown := a.Weight() - weight; grown < len(bodies[0]) || grown > len(bodies[0])+len(bodies[0])/4+64 {
			t.Errorf("%s: %d bytes heavier by a form of %d", encoding, grown, len(bodies[0]))
		}
		check.Equal(t, encoding+": times told", int(told.Load()), i+1)
		weight = a.Weight()
	}
}

// What one process has made, others need not make again.
func TestFormsThereAreAreStored(t *testing.T) {
	a := answer.New(jsonConfig())
	bare := len(a.AppendBinary(nil))
	form := get(a, http.Header{"Accept-Encoding": {"zstd"}}).Body.Bytes()
	stored := a.AppendBinary(nil)
	if got, want := len(stored), bare+len(form); got < want || got > want+4 || !bytes.Contains(stored, form) {
		t.Fatalf("stored in %d bytes, want %d", got, want)
	}
	b := must.Get(answer.Parse(stored))(t)
	b.WhenHeavier(func() { t.Error("the form was made again") })
	if got := get(b, http.Header{"Accept-Encoding": {"zstd"}}).Body.Bytes(); !bytes.Equal(got, form) {
		t.Error("another form is sent")
	}
}
