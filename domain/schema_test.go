package domain_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/schema"
)

func TestSchema(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]schema.Schema{
		"ft_v2":               {Name: "ft", Version: 2},
		"a_v1_v1073741824":    {Name: "a_v1", Version: 1 << 30},
		`odd" name` + "_v3":   {Name: `odd" name`, Version: 3},
		"nothing\x00left_v12": {Name: "nothing\x00left", Version: 12},
	} {
		got, err := schema.Parse(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q: got %+v (%s) and %v, want %+v", text, got, got, err, want)
		}
		if got, want := got.Table(`t"`), (pgx.Identifier{text, `t"`}).Sanitize(); got != want {
			t.Errorf("%q: table %s, want %s", text, got, want)
		}
		if got, want := got.Quoted(), (pgx.Identifier{text}).Sanitize(); got != want {
			t.Errorf("%q: quoted %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "log", "ft", "_v1", "ft_v", "ft_v1x"} {
		if got, err := schema.Parse(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}
