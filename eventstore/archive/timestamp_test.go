package archive

import "testing"

func TestParseTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string // want in RFC 3339; empty: refused
		shape    timeShape
	}{
		{"2024-03-13 15:34:10.446375+00", "2024-03-13T15:34:10.446375Z", postgresTime},
		{"2024-03-13 15:34:10+00", "2024-03-13T15:34:10Z", postgresTime},
		{"2024-03-13 15:34:10.4-03:30", "2024-03-13T19:04:10.4Z", postgresTime},
		{"1890-03-13 15:34:10+00:19:32", "1890-03-13T15:14:38Z", postgresTime},
		{"2024-03-13T15:34:10.446Z", "2024-03-13T15:34:10.446Z", isoTime},
		{"2024-03-13T15:34:10.123456789Z", "2024-03-13T15:34:10.123456Z", isoTime},
		{"2024-02-29 00:00:00+00", "2024-02-29T00:00:00Z", postgresTime},
		{"2023-02-29 00:00:00+00", "", 0},
		{"2024-03-13 15:34:10.446375", "", 0},
		{"2024-03-13 15:34:10.+00", "", 0},
		{"2024-03-13 24:00:00+00", "", 0},
		{"2024-03-13 15:60:00+00", "", 0},
		{"2024-13-13 15:00:00+00", "", 0},
		{"2024-03-13 15:34:10+00 BC", "", 0},
		{"2024-03-13 15:34:10+24", "", 0},
		{"0001-01-01 00:00:00+01", "", 0},
		{"10000-01-01 00:00:00+00", "", 0},
		{"infinity", "", 0},
		{"", "", 0},
	} {
		got, shape, ok := parseTime([]byte(tt.in))
		if !ok {
			if tt.want != "" {
				t.Errorf("%q: refused, want %s", tt.in, tt.want)
			}
			continue
		}
		if text := got.Format("2006-01-02T15:04:05.999999Z07:00"); text != tt.want || shape != tt.shape {
			t.Errorf("%q: got %s shape %d, want %s shape %d", tt.in, text, shape, tt.want, tt.shape)
		}
	}
}
