package eventstore_test

import (
	"errors"
	"strings"
	"testing"

	"strata/eventstore"
)

// Texts that fit a leaf record are stored unchanged. An event whose texts do not fit is refused with its whole batch.
func TestRecordMax(t *testing.T) {
	t.Parallel()
	log := openLog(t, migrated.New(t), eventstore.Config{})
	with := func(n int, change func(in *eventstore.Incoming, text string)) eventstore.Incoming {
		in := eventstore.Incoming{Body: eventstore.NewBody([]byte("x"))}
		change(&in, strings.Repeat("x", n))
		return in
	}
	fields := map[string]func(in *eventstore.Incoming, text string){
		"source":       func(in *eventstore.Incoming, text string) { in.Source = text },
		"path":         func(in *eventstore.Incoming, text string) { in.Path = text },
		"content type": func(in *eventstore.Incoming, text string) { in.ContentType = text },
		"origin":       func(in *eventstore.Incoming, text string) { in.Origin = text },
		"all": func(in *eventstore.Incoming, text string) {
			quarter := len(text) / 4
			in.Source, in.Path, in.ContentType, in.Origin = text[:quarter], text[quarter:2*quarter], text[2*quarter:3*quarter], text[3*quarter:]
		},
		"not UTF-8": func(in *eventstore.Incoming, text string) { // a byte becomes three
			in.Path = strings.Repeat("\x00", len(text)/3) + text[:len(text)%3]
		},
	}
	const most = eventstore.RecordMax - 73
	var size int64
	for name, change := range fields {
		mustAppend(t, log, with(most, change))
		mustAppendBatch(t, log, with(most, change))
		size += 2
		if seq, err := log.Append(t.Context(), with(most+1, change)); seq != 0 || !errors.Is(err, eventstore.ErrRecordTooLong) {
			t.Errorf("%s: got %v, want that it is too long", name, err)
		}
		seq, err := log.AppendBatch(t.Context(), []eventstore.Incoming{with(1, change), with(most+1, change)}, nil)
		if seq != 0 || !errors.Is(err, eventstore.ErrRecordTooLong) || !strings.Contains(err.Error(), "event 2 of 2") {
			t.Errorf("%s, in a batch: got %v, want that it is too long", name, err)
		}
	}
	all := checkWhole(t, log)
	if int64(len(all)) != size {
		t.Errorf("the log has %d events, want %d", len(all), size)
	}
	for i := range all {
		if record := eventstore.AppendLeafRecord(nil, &all[i]); len(record) != eventstore.RecordMax {
			t.Errorf("event %d has a record of %d bytes, want %d", all[i].Seq, len(record), eventstore.RecordMax)
		}
	}
}
