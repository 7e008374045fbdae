package connect

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"sync"
)

// The first byte of the plaintext tells whether it is compressed. A server accepts payloads of
// 2 MB, and a fleet's state is repetitive. That lengths reveal something about texts is acceptable:
// payloads never hold secrets.
const (
	asIs byte = iota
	deflated
)

const (
	worthwhile = 512      // minimum size for which compression saves anything
	longest    = 32 << 20 // maximum size of a payload
)

// deflaters are reused: each has a megabyte of tables.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is valid
	return w
}}

func compress(text []byte) []byte {
	if len(text) >= worthwhile {
		out := bytes.NewBuffer(append(make([]byte, 0, len(text)/4), deflated))
		w := deflaters.Get().(*flate.Writer)
		defer deflaters.Put(w)
		w.Reset(out)
		_, err := w.Write(text)
		if err = errors.Join(err, w.Close()); err == nil && out.Len() <= len(text) {
			return out.Bytes()
		}
	}
	return append([]byte{asIs}, text...)
}

func decompress(text []byte) ([]byte, error) {
	switch {
	case len(text) > 0 && text[0] == asIs:
		return text[1:], nil
	case len(text) > 0 && text[0] == deflated:
		out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(text[1:])), longest+1))
		if err != nil {
			return nil, fmt.Errorf("decompress a payload: %w", err)
		}
		if len(out) > longest {
			return nil, fmt.Errorf("a payload has more than %d MB", longest>>20)
		}
		return out, nil
	}
	return nil, errors.New("a payload uses a compression that this version does not know: install the newest warp-fleet")
}
