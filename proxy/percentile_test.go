package proxy

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestPercentile95(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var e percentile95
	if _, ok := e.value(); ok {
		t.Error("there is an estimate without samples")
	}
	for range 20_000 {
		e.observe(time.Duration(1 + random.Int64N(int64(time.Second)))) // uniform: the 95th percentile is at 950 ms
	}
	got, ok := e.value()
	if !ok || got < 850*time.Millisecond || got > 1050*time.Millisecond {
		t.Errorf("got %v, %v; want about 950ms", got, ok)
	}
	for range 2000 {
		e.observe(10 * time.Millisecond)
	}
	if got, _ := e.value(); got > 20*time.Millisecond {
		t.Errorf("after 2000 samples of 10ms it is still %v", got)
	}
}
