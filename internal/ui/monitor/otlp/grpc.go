package otlp

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	words "warp/internal/core/text"
)

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
		return &refusedError{http.StatusBadGateway, "no status of gRPC; is that its port for gRPC (4317)?"}
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
