package engine

import (
	"errors"
	"maps"
	"testing"
)

// FuzzParseVersions reads what clients write of versions: it is refused, or says one number for each projection and is read the
// same again as it is written.
func FuzzParseVersions(f *testing.F) {
	for _, text := range []string{"", "ft=2", " ft = 2 ,nft=3", "ft=2,ft=2", "ft=2,ft=3", "ft=0", "ft=-1", "ft=99999999999999999999", "FT=1", "ft", "=1", "ft=1,", "ft=1;nft=2", "ft=1\x00", "a_1=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		numbers, err := parseVersions(text)
		if err != nil {
			var own *Error
			if !errors.As(err, &own) || own.Code != CodeBadRequest || numbers != nil {
				t.Errorf("%q: got %v and %v, want what a client reads", text, numbers, err)
			}
			return
		}
		if len(numbers) == 0 {
			t.Errorf("%q: got nothing, and no error", text)
		}
		for name, number := range numbers {
			if number < 1 || name == "" {
				t.Errorf("%q: got %s=%d", text, name, number)
			}
		}
		written := (&choice{read: numbers}).header()
		if again, err := parseVersions(written); err != nil || !maps.Equal(again, numbers) {
			t.Errorf("%q: %q is read as %v (%v), want %v", text, written, again, err, numbers)
		}
	})
}
