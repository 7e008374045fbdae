package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"warp/internal/core/otelenv"
	words "warp/internal/core/text"
	"warp/internal/durable"
)

// sender sends requests to one target.
type sender struct {
	target *otelenv.Target
	client *http.Client
}

func newSender(t *otelenv.Target) (*sender, error) {
	if t == nil {
		return nil, nil
	}
	secure, err := readCertificates(t)
	if err != nil {
		return nil, err
	}
	through := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, MaxConnsPerHost: 1}
	if t.GRPC {
		through.Protocols = &http.Protocols{}
		through.Protocols.SetHTTP2(true)
		through.Protocols.SetUnencryptedHTTP2(true)
	}
	return &sender{t, &http.Client{
		Transport: through,
		Timeout:   t.Timeout,
		// Do not follow redirects: a header with a key is for the address the user named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func readCertificates(t *otelenv.Target) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.Certificate != "" {
		pem, err := durable.ReadPlain(t.Certificate)
		if err != nil {
			return nil, fmt.Errorf("reading the collector's certificate: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("reading the collector's certificate: %q has no certificate in PEM format", t.Certificate)
		}
	}
	if t.OwnCert != "" {
		pair, err := tls.LoadX509KeyPair(t.OwnCert, t.OwnKey)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate for the collector: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// refusedError means that a collector refused a request, for now or for good.
type refusedError struct {
	status int
	grpc   string // message of a gRPC collector; "" for HTTP
}

func (e *refusedError) Error() string {
	if e.grpc != "" {
		return "the collector answered: " + e.grpc
	}
	return fmt.Sprintf("the collector answered %d %s", e.status, http.StatusText(e.status))
}

// retryStatuses are the statuses after which the same request may succeed later.
var retryStatuses = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}

func (e *refusedError) isFinal() bool { return !slices.Contains(retryStatuses, e.status) }

// send sends one request. The error is a *refusedError if the collector answered.
func (s *sender) send(ctx context.Context, m proto.Message) error {
	body, err := marshal(m, s.target.JSON)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	kind := "application/x-protobuf"
	if s.target.JSON {
		kind = "application/json"
	}
	if s.target.Gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // a buffer never fails
		_ = w.Close()
		body = packed.Bytes()
	}
	if s.target.GRPC {
		kind, body = "application/grpc+proto", envelope(body, s.target.Gzip)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range s.target.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", kind)
	switch {
	case s.target.GRPC:
		r.Header.Set("TE", "trailers")
		if s.target.Gzip {
			r.Header.Set("Grpc-Encoding", "gzip")
		}
	case s.target.Gzip:
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // so that the connection is reused
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return &refusedError{status: answer.StatusCode}
	}
	if s.target.GRPC {
		return readStatus(answer)
	}
	return nil
}

// A unary gRPC call is an HTTP/2 request whose body has a length before the message, and
// whose result is in the trailers. A collector needs no more, so no gRPC library is linked.

// envelope frames a message for gRPC.
func envelope(message []byte, packed bool) []byte {
	out := make([]byte, 5, 5+len(message))
	if packed {
		out[0] = 1
	}
	binary.BigEndian.PutUint32(out[1:], uint32(len(message)))
	return append(out, message...)
}

// retryCodes are the status codes after which the same call may succeed later: those of the
// protocol, and what a person may fix (a key, a service).
var retryCodes = []int{1, 4, 7, 8, 10, 11, 12, 14, 15, 16}

// readStatus returns the result of a call, whose body must have been read.
func readStatus(answer *http.Response) error {
	status := answer.Trailer.Get("Grpc-Status")
	says := answer.Trailer.Get("Grpc-Message")
	if status == "" { // without a message there are only headers
		status, says = answer.Header.Get("Grpc-Status"), answer.Header.Get("Grpc-Message")
	}
	code, err := strconv.Atoi(status)
	if err != nil {
		return &refusedError{http.StatusBadGateway, "no gRPC status; is this the collector's gRPC port (usually 4317)?"}
	}
	if code == 0 {
		return nil
	}
	if plain, err := url.PathUnescape(says); err == nil {
		says = plain
	}
	refused := &refusedError{http.StatusBadRequest, fmt.Sprintf("status %d: %s", code, words.Clip(words.VisibleLine(says), 300))}
	if slices.Contains(retryCodes, code) {
		refused.status = http.StatusServiceUnavailable
	}
	return refused
}
