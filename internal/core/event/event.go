// Package event is the journal's vocabulary: one line of JSON per event, each with a checksum that
// identifies torn lines. Package durable writes lines to files.
package event

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

const (
	Document  = "document"  // a document was written: it can be rebuilt from these rows
	Removed   = "removed"   // a document was removed on purpose
	Recovered = "recovered" // a damaged document was set aside and rebuilt
	Criterion = "criterion" // a criterion was checked or unchecked: {issue, id, checked}
	Criteria  = "criteria"  // an issue's criteria as written: {issue, criteria: [{id, text}]}
	Gate      = "gate"      // a gate ran: {event, gate, passed, …}
	Asked     = "asked"     // an agent was shown criteria again: {session, event}
	Confirmed = "confirmed" // an agent confirmed criteria before an event: {session, event, criteria}
	Ref       = "ref"       // a guard saw a branch move: {ref, old, new, by}
	Denied    = "denied"    // a guard refused a call: {session, tool, rule, what}
	Audited   = "audited"   // an engine reported what is wrong with the rows so far: {unsigned, forged, …}
	Disturbed = "disturbed" // an observer could not do its work: {session, event, why}
)

// The kinds of rows that a headless drive leaves as evidence; see core/evidence for their members.
const (
	Run        = "run"         // an agent ran
	Plan       = "plan"        // an approach was drafted
	Verdict    = "verdict"     // a verifier judged a criterion
	Tested     = "tested"      // the tests ran
	Commit     = "commit"      // a chunk was committed
	Filed      = "filed"       // an issue, a comment or a pull request was filed
	Intervened = "intervened"  // something an agent did was undone
	Decision   = "decision"    // a question was asked, and perhaps answered
	Skipped    = "skipped"     // a chunk was given up
	Outcome    = "outcome"     // how a requirement ended
	PassedOver = "passed_over" // an approved issue could not be worked on
	Unasked    = "unasked"     // a chunk holds what no one asked for
	Check      = "check"       // a criterion's contract, or what its check came to
	Night      = "night"       // a run over issues began, or ended with a report
	Landed     = "landed"      // a branch was merged, or its pull request was opened
	Follow     = "follow"      // a forge's report about a pull request started another cycle
)

// The kinds of rows about an agent's session. Each has the member session: the agent's own id.
const (
	Edit           = "edit"            // a file was edited: {session, file}
	SessionBegan   = "session_began"   // {session, source, branch, commit, directory}
	SessionEnded   = "session_ended"   // {session, reason}
	SessionFailed  = "session_failed"  // a turn ended in an error: {session, error, details}
	SlashCommand   = "slash_command"   // {session, name}
	ToolFailed     = "tool_failed"     // {session, id, class, tool, message, key, context}
	ToolRecovered  = "tool_recovered"  // the same call succeeded later: {session, key}
	AgentBegan     = "agent_began"     // {session, id, type, task, parent_task}
	AgentEnded     = "agent_ended"     // {session, id, status, issues_found}
	Compacted      = "compacted"       // {session, trigger, backup}
	PermissionAsk  = "permission_ask"  // {session, tool}
	PermissionDeny = "permission_deny" // {session, tool}
)

// Row is one line of the journal.
type Row struct {
	At   string          `json:"at"`
	Kind string          `json:"kind"`
	Name string          `json:"name,omitempty"` // for a document's row: what was done
	PID  int             `json:"pid,omitempty"`
	Data *lossless.Value `json:"data,omitempty"`

	// For a document's row: which one, its revision, and what changed.
	Doc   string          `json:"doc,omitempty"`
	Rev   int64           `json:"rev,omitempty"`
	Full  *lossless.Value `json:"full,omitempty"`
	Patch *lossless.Value `json:"patch,omitempty"`
	Sum   string          `json:"sum,omitempty"`  // of the document afterwards
	Seal  string          `json:"seal,omitempty"` // its signature, if its writer has the key

	// For a signed row, and always last: the signature of the previous signed row, and its own,
	// which covers everything before it in the line.
	After string `json:"after,omitempty"`
	Mac   string `json:"mac,omitempty"`

	Offset   int64    // of the line in its segment; set by the reader
	Standing Standing // what a reader with the key found
}

// Stamp formats a time as in rows and the drive's document: UTC, in milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Since returns the time passed since a stamp, never negative: a clock that was set back must
// neither extend a budget nor trip it. An unreadable stamp is now.
func Since(stamp string, now time.Time) time.Duration {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return 0
	}
	return max(0, now.Sub(t))
}

// Sum returns the checksum of rows and documents: CRC-32 as in gzip.
func Sum(data []byte) string { return spellSum(crc(data)) }

func spellSum(sum uint32) string {
	return hex.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

const (
	crcMark  = `,"crc":"`
	crcWidth = len(crcMark) + 8 + len(`"}`)
)

// Line returns the row as a line, with its checksum last and a newline.
func (r Row) Line() []byte { return end(r.body()) }

// body returns the row without its checksum and end.
func (r Row) body() []byte {
	b := lossless.AppendCompact(make([]byte, 0, 512), lossless.Encode(r, nil))
	return b[:len(b)-1]
}

// end appends the checksum and the end of the line.
func end(b []byte) []byte {
	sum := Sum(b)
	b = append(b, crcMark...)
	b = append(b, sum...)
	return append(b, "\"}\n"...)
}

// damagedError is why a line is no row.
type damagedError struct{ Why string }

func (e *damagedError) Error() string { return "a damaged row: " + e.Why }

// Intact reports whether a line is whole, in one pass and without parsing it.
func Intact(line string) bool {
	at := len(line) - crcWidth
	if at < 0 || !strings.HasPrefix(line[at:], crcMark) || !strings.HasSuffix(line, `"}`) {
		return false
	}
	return line[at+len(crcMark):len(line)-2] == spellSum(crc(line[:at]))
}

// Reader reads lines of a journal, one after another.
type Reader struct{ parser lossless.Parser }

// Parse reads a line, without its newline.
func (p *Reader) Parse(line string) (Row, error) {
	if !Intact(line) {
		return Row{}, &damagedError{"its checksum does not match"}
	}
	v, err := p.parser.Parse(line)
	if err != nil {
		return Row{}, &damagedError{err.Error()}
	}
	r, wrong := decode(v)
	if wrong != nil {
		return Row{}, &damagedError{wrong.Error()}
	}
	return r, nil
}

// decode reads a row without reflection: hooks read many.
func decode(v *lossless.Value) (r Row, wrong *lossless.TypeError) {
	if v.Kind != lossless.Object {
		return r, lossless.Wrong(v, "an object")
	}
	text := func(into *string, m lossless.Member) {
		if m.Value.Kind != lossless.String {
			wrong = lossless.Wrong(m.Value, "a string").Under(m.Key)
		}
		*into = m.Value.Text()
	}
	number := func(m lossless.Member) int64 {
		n, ok := m.Value.Int()
		if !ok {
			wrong = lossless.Wrong(m.Value, "a whole number").Under(m.Key)
		}
		return n
	}
	for _, m := range v.Members {
		switch m.Key {
		case "at":
			text(&r.At, m)
		case "kind":
			text(&r.Kind, m)
		case "name":
			text(&r.Name, m)
		case "doc":
			text(&r.Doc, m)
		case "sum":
			text(&r.Sum, m)
		case "seal":
			text(&r.Seal, m)
		case "after":
			text(&r.After, m)
		case "mac":
			text(&r.Mac, m)
		case "pid":
			r.PID = int(number(m))
		case "rev":
			r.Rev = number(m)
		case "data":
			r.Data = m.Value
		case "full":
			r.Full = m.Value
		case "patch":
			r.Patch = m.Value
		}
	}
	return r, wrong
}

// Standing is what a reader with the key found about a row.
type Standing int

const (
	Unchecked Standing = iota // the reader has no key: it is taken as it is
	Signed                    // a process with the key wrote it, and it is in its place
	Unsigned                  // an observer wrote it, or something other than warp
	Forged                    // its signature is invalid: it was made up or rewritten
	Misplaced                 // it is signed, but the row before it is missing or different
)

// Counts reports whether decisions may rely on the row.
func (r Row) Counts() bool { return r.Standing == Unchecked || r.Standing == Signed }

// MacLength is the length of a signature: 128 bits in hexadecimal digits.
const MacLength = 32

const (
	macMark  = `,"mac":"`
	macWidth = len(macMark) + MacLength + len(`"`)
)

// SignedLine returns the row as a signed line, and the signature, which sign makes from everything
// before it. The row's After links it to the previous one.
func (r Row) SignedLine(sign func(text []byte) string) (line []byte, mac string) {
	r.Mac = ""
	b := r.body()
	mac = sign(b)
	b = append(b, macMark...)
	b = append(b, mac...)
	return end(append(b, '"')), mac
}

// Signature splits a whole line into what its signature covers and the signature. It returns false
// for an unsigned row.
func Signature(line string) (body, mac string, ok bool) {
	at := len(line) - crcWidth - macWidth
	if at < 0 || !strings.HasPrefix(line[at:], macMark) || line[at+macWidth-1] != '"' {
		return "", "", false
	}
	return line[:at], line[at+len(macMark) : at+macWidth-1], true
}

// The table is built on first use. The standard library builds its own at every start, which a hook
// would pay on every tool call; rows and documents are small, so its faster sums would not make up
// for it.
var crcTable = lazy.Value[*[4][256]uint32]{Make: func() *[4][256]uint32 {
	var t [4][256]uint32
	c := uint32(1)
	for bit := 128; bit > 0; bit >>= 1 { // the entry of a sum of bits is the sum of theirs
		c = c>>1 ^ 0xedb88320*(c&1)
		for i := 0; i < 256; i += 2 * bit {
			t[0][i+bit] = t[0][i] ^ c
		}
	}
	for k := range t[1:] {
		for i, before := range &t[k] {
			t[k+1][i] = t[0][byte(before)] ^ before>>8
		}
	}
	return &t
}}

// crc is the CRC-32 of IEEE 802.3, four bytes at a time.
func crc[T string | []byte](data T) uint32 {
	t := crcTable.Get()
	c := ^uint32(0)
	i := 0
	for ; i+4 <= len(data); i += 4 {
		c ^= uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24
		c = t[3][byte(c)] ^ t[2][byte(c>>8)] ^ t[1][byte(c>>16)] ^ t[0][c>>24]
	}
	for ; i < len(data); i++ {
		c = t[0][byte(c)^data[i]] ^ c>>8
	}
	return ^c
}
