package tracing

import (
	"net/http"
	"net/netip"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"strata/internal/requestid"
)

// Handler returns next with a span around each request, whose name the answer has in X-Request-Id. It continues the traces of
// senders that are trusted. Those of others begin anew, so that strangers can't choose what is sampled.
func (t *Tracer) Handler(trusts func(netip.Addr) bool, next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && trusts(peer.Addr()) {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		id := requestid.Name(r)
		ctx, span := t.tracer.Start(requestid.With(ctx, id), r.Method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			attribute.String("http.request.method", r.Method), attribute.String("url.path", r.URL.Path),
			attribute.String("network.peer.address", r.RemoteAddr), attribute.String("strata.request_id", id)))
		w.Header().Set(requestid.Header, id)
		recorder := &recorder{ResponseWriter: w}
		answered := false
		defer func() {
			status := recorder.status
			switch {
			case !answered:
				span.SetStatus(codes.Error, "the answer was cut off")
			case status == 0:
				status = http.StatusOK
			}
			span.SetAttributes(attribute.Int("http.response.status_code", status))
			if status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, strconv.Itoa(status))
			}
			span.End()
		}()
		next.ServeHTTP(recorder, r.WithContext(ctx))
		answered = true
	})
}

// recorder records the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}
