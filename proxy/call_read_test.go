package proxy

import (
	"errors"
	"net/http"
	"testing"

	"strata/domain/clarity"
	"strata/internal/testkit/must"
)

func TestCallRead(t *testing.T) {
	bns := must.Get(clarity.ParsePrincipal("SP000000000000000000002Q6VF78.bns"))(t)
	node := newNode(t, 100)
	node.respond(status(http.StatusOK, `{"okay":true,"result":"0x070100000000000000000000000000000009"}`))
	p := startProxy(t, Config{}, node)
	got, err := p.CallRead(t.Context(), bns, "get-name-price", clarity.NewUint64(1), clarity.NewNone())
	if err != nil || got.Repr() != "(ok u9)" {
		t.Errorf("got %s, %v", got.Repr(), err)
	}
	node.respond(status(http.StatusOK, `{"okay":false,"cause":"Unchecked(PublicFunctionMustReturnResponse)"}`))
	if got, err := p.CallRead(t.Context(), bns, "fails"); !errors.Is(err, ErrCall) {
		t.Errorf("a call that fails: got %s, %v", got.Repr(), err)
	}
	for _, body := range []string{"", "[]", `{"okay":true}`, `{"okay":true,"result":"0xzz"}`, `{"okay":true,"result":"0x0300"}`} {
		node.respond(status(http.StatusOK, body))
		if got, err := p.CallRead(t.Context(), bns, "broken"); err == nil || errors.Is(err, ErrCall) {
			t.Errorf("%q: got %s, %v", body, got.Repr(), err)
		}
	}
	node.respond(status(http.StatusBadRequest, "Execution budget exceeded"))
	if got, err := p.CallRead(t.Context(), bns, "refused"); err == nil || errors.Is(err, ErrCall) {
		t.Errorf("status 400: got %s, %v", got.Repr(), err)
	}
	node.stop()
	if got, err := p.CallRead(t.Context(), bns, "gone"); err == nil || errors.Is(err, ErrCall) {
		t.Errorf("without a node: got %s, %v", got.Repr(), err)
	}
}
