package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"warp/internal/core/otelenv"
)

// serveGRPC is a collector that speaks gRPC, with or without a message in its answer.
func serveGRPC(t *testing.T, status string, message bool, got *trace.TracesData) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.ProtoMajor != 2 || r.Header.Get("Content-Type") != "application/grpc+proto" || r.Header.Get("Te") != "trailers" || len(body) < 5 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 {
			t.Errorf("%s %v %x %v", r.Proto, r.Header, body, err)
			return
		}
		if (body[0] == 1) != (r.Header.Get("Grpc-Encoding") == "gzip") {
			t.Errorf("compressed: %d, %v", body[0], r.Header)
		}
		body = body[5:]
		if r.Header.Get("Grpc-Encoding") == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err == nil {
				body, err = io.ReadAll(z)
			}
			if err != nil {
				t.Error(err)
			}
		}
		if err := proto.Unmarshal(body, got); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/grpc")
		if message {
			_, _ = w.Write([]byte{0, 0, 0, 0, 0})
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", status)
			w.Header().Set(http.TrailerPrefix+"Grpc-Message", "the queue is full%2C sorry")
		} else if status != "" {
			w.Header().Set("Grpc-Status", status)
		}
	}))
	s.Config.Protocols = &http.Protocols{}
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func TestACallOfGRPC(t *testing.T) {
	for _, c := range []struct {
		status  string
		message bool
		gzip    bool
		want    string // in the error; "": none
		final   bool
	}{
		{status: "0", message: true}, {status: "0", message: true, gzip: true}, {status: "0"},
		{status: "14", message: true, want: "status 14: the queue is full, sorry"},
		{status: "16", want: "status 16"},
		{status: "3", message: true, want: "status 3", final: true},
		{status: "", want: "is this the collector's gRPC port (usually 4317)?"},
	} {
		t.Run(fmt.Sprint(c.status, c.message, c.gzip), func(t *testing.T) {
			got := &trace.TracesData{}
			at := serveGRPC(t, c.status, c.message, got)
			s, err := newSender(&otelenv.Target{URL: at.URL + "/service/Export", GRPC: true, Gzip: c.gzip, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			err = s.send(t.Context(), &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{SchemaUrl: "here"}}})
			if len(got.ResourceSpans) != 1 || got.ResourceSpans[0].SchemaUrl != "here" {
				t.Errorf("received: %v", got)
			}
			var refused *refusedError
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || refused.isFinal() != c.final):
				t.Errorf("%v, final: %t", err, refused != nil && refused.isFinal())
			}
		})
	}
}
