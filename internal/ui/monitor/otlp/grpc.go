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

// A call of gRPC with one message there and one back is an HTTP/2 request whose body has a
// length before the message, and whose result is in the trailers. That is all a collector
// needs, so no library of gRPC is linked.

// envelope is a message as gRPC sends it.
func envelope(message []byte, packed bool) []byte {
	out := make([]byte, 5, 5+len(message))
	if packed {
		out[0] = 1
	}
	binary.BigEndian.PutUint32(out[1:], uint32(len(message)))
	return append(out, message...)
}

// grpcLater are the results after which the same call may be accepted later: those that the
// protocol names, and what a person may set right (a key, a service).
var grpcLater = []int{1, 4, 7, 8, 10, 11, 12, 14, 15, 16}

// readStatus reads the result of a call. The body was read to its end.
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
	if slices.Contains(grpcLater, code) {
		refused.status = http.StatusServiceUnavailable
	}
	return refused
}
