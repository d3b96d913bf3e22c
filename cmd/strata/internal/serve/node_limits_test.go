package serve

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"strata/proxy"
)

// Every limit has a default that is the proxy's, and refuses zero where there are nodes.
func TestNodeLimits(t *testing.T) {
	t.Parallel()
	var f struct{ nodeLimitFlags }
	parser, err := kong.New(&f.nodeLimitFlags)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	var got proxy.Config
	f.apply(&got)
	want := proxy.Config{
		BodyLimit: proxy.BodyLimitDefault, QueueLength: proxy.QueueLengthDefault, QueueWait: proxy.QueueWaitDefault, ProbeInterval: proxy.ProbeIntervalDefault,
		LagLimit: proxy.LagLimit{Blocks: proxy.LagBlocksDefault, Time: proxy.LagTimeDefault},
		Timeouts: proxy.Timeouts{Connect: 2 * time.Second, Probe: time.Second, Light: 5 * time.Second, Medium: 10 * time.Second, Heavy: 35 * time.Second, Stall: 15 * time.Second},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := f.checkLimits(1); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for i := range reflect.TypeOf(f.nodeLimitFlags).NumField() {
		field := reflect.TypeOf(f.nodeLimitFlags).Field(i)
		if field.Type.Kind() == reflect.Bool {
			continue
		}
		changed := f.nodeLimitFlags
		reflect.ValueOf(&changed).Elem().Field(i).SetInt(0)
		flag := "--" + strings.ToLower(strings.TrimPrefix(field.Tag.Get("env"), "STRATA_"))
		if err := changed.checkLimits(1); err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(flag, "_", "-")+":") {
			t.Errorf("%s 0: got %v", flag, err)
		}
		if err := changed.checkLimits(0); err != nil {
			t.Errorf("%s 0 without nodes: got %v", flag, err)
		}
		reflect.ValueOf(&changed).Elem().Field(i).SetInt(-1)
		if err := changed.checkLimits(0); err == nil {
			t.Errorf("%s -1: got no error", flag)
		}
	}
}
