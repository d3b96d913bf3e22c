package quantile

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestP95(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var e Estimate
	if _, ok := e.P95(); ok {
		t.Error("there is an estimate without samples")
	}
	for range 20_000 {
		e.Observe(time.Duration(1 + random.Int64N(int64(time.Second)))) // uniform: the 95th percentile is at 950 ms
	}
	got, ok := e.P95()
	if !ok || got < 850*time.Millisecond || got > 1050*time.Millisecond {
		t.Errorf("got %v, %v; want about 950ms", got, ok)
	}
	for range 2000 {
		e.Observe(10 * time.Millisecond)
	}
	if got, _ := e.P95(); got > 20*time.Millisecond {
		t.Errorf("after 2000 samples of 10ms it is still %v", got)
	}
}
