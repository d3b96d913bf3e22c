package synthchain

import (
	"testing"

	"strata/domain/nodeevent"
)

func TestPostsDecode(t *testing.T) {
	for name, cfg := range settings(6) {
		t.Run(name, func(t *testing.T) {
			c := New(cfg)
			for i := range 600 {
				p := c.Next()
				if _, err := nodeevent.Decode(p.Path, p.Body); err != nil {
					t.Fatalf("post %d to %s: %v\n%.2000s", i, p.Path, err, p.Body)
				}
			}
		})
	}
}
