package domain_test

import (
	"strings"
	"testing"

	"strata/domain/fetch"
)

// What is said of an image does not speak of metadata.
func TestMessageOf(t *testing.T) {
	t.Parallel()
	for reason := fetch.ReasonMetadataTooLarge; reason <= fetch.ReasonRefused; reason++ {
		text := reason.Message()
		if !strings.HasPrefix(text, "Metadata") || reason == fetch.ReasonRefused {
			if got := reason.MessageOf(fetch.Image); strings.Contains(got, "Metadata") {
				t.Errorf("%d: got %q of an image", reason, got)
			}
		}
		if got := reason.MessageOf(fetch.Document); got != text {
			t.Errorf("%d: got %q of a document, want %q", reason, got, text)
		}
	}
}
