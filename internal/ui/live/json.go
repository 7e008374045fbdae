package live

import (
	"bytes"
	"encoding/json"
	"fmt"

	"warp/internal/engine/policy/drive"
)

// row is a note as JSON; the package comment describes its members.
type row struct {
	drive.Note
	Said string `json:"said,omitempty"`
	Left int64  `json:"left_seconds,omitempty"`
}

// marshalNote returns a note as one line of JSON.
func marshalNote(n drive.Note) string {
	n.At = n.At.UTC()
	r := row{Note: n, Left: int64(n.Left.Seconds())}
	if s := n.Said; s != nil {
		r.Said = s.Kind
		set(&r.Text, s.Text)
		set(&r.Tool, s.Tool)
		if s.Reset != nil {
			r.Until = *s.Reset
		}
	}
	if !r.Until.IsZero() {
		r.Until = r.Until.UTC()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil { // a year that RFC 3339 cannot express
		return fmt.Sprintf(`{"kind":"note","text":%q}`, "a note could not be written: "+err.Error())
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
