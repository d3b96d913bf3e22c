package answer_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi/internal/answer"
)

// A cache that is bounded by weight holds as much memory as it says.
func TestWeightIsTheMemoryHeld(t *testing.T) {
	var stored []byte
	for name, build := range map[string]func() *answer.Answer{
		"ordinary": func() *answer.Answer { return answer.New(jsonConfig()) },
		"tiny": func() *answer.Answer {
			return answer.New(answer.Config{Body: append([]byte(nil), "{}"...), Class: answer.Tip, Tag: tag})
		},
		"body in a buffer that is far too large": func() *answer.Answer {
			return jsonWith(func(c *answer.Config) { c.Body = append(make([]byte, 0, 1<<20), c.Body...) })
		},
		"mostly fields": func() *answer.Answer {
			c := answer.Config{Class: answer.Tip}
			for i := range 20 {
				c.Fields = append(c.Fields, answer.Field{Name: "X-" + string(rune('A'+i)), Values: strings.Split(strings.Repeat("v,", 50), ",")})
			}
			return answer.New(c)
		},
		"stored": func() *answer.Answer {
			if stored == nil {
				stored = answer.New(jsonConfig()).AppendBinary(nil)
			}
			a := must.Get(answer.Parse(append([]byte(nil), stored...)))(t)
			return a
		},
		"asked for in every encoding": func() *answer.Answer {
			a := answer.New(jsonConfig())
			for _, encoding := range []string{"gzip", "zstd", "br"} {
				get(a, http.Header{"Accept-Encoding": {encoding}})
			}
			return a
		},
		"stored after it was": func() *answer.Answer {
			a := answer.New(jsonConfig())
			for _, encoding := range []string{"gzip", "zstd", "br"} {
				get(a, http.Header{"Accept-Encoding": {encoding}})
			}
			parsed := must.Get(answer.Parse(a.AppendBinary(nil)))(t)
			return parsed
		},
	} {
		t.Run(name, func(t *testing.T) {
			build() // what is made once, for all
			var kept [500]*answer.Answer
			before, weight := heap(), 0
			for i := range kept {
				kept[i] = build()
				weight += kept[i].Weight()
			}
			held := heap() - before
			runtime.KeepAlive(&kept)
			if ratio := float64(held) / float64(weight); ratio < 0.8 || ratio > 1.25 {
				t.Errorf("%d bytes held, weight %d: %.2f", held, weight, ratio)
			}
		})
	}
}

func heap() int64 {
	var m runtime.MemStats
	for range 3 { // what is pooled goes at the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
