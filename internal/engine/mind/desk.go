// Package mind lets a session of Claude Code, or a person, be the mind of a drive instead of a
// headless agent. The engine runs separately and does every deterministic step; when it needs a
// mind, it says so on a board and waits. The other side reads the board (warp next), does what is
// wanted, and replies. A reply is an agent's word: the engine does not take it for a fact.
//
// Board and reply are two small files in the user's state folder. Each has one writer, and is
// replaced as a whole. The drive writes the prompts, and decides what happens to the work.
package mind

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// Desk is where an engine and its mind exchange notes: one per work tree.
type Desk struct{ Dir string }

// At returns the desk of a work tree, in the user's state folder.
func At(state, root string) Desk {
	sum := sha256.Sum256([]byte(root))
	return Desk{filepath.Join(state, "next", hex.EncodeToString(sum[:8]))}
}

// Log returns the path of the engine's output.
func (d Desk) Log() string { return filepath.Join(d.Dir, "log") }

// Prompt returns the path of a prompt that is too long to print.
func (d Desk) Prompt() string { return filepath.Join(d.Dir, "prompt.md") }

// Tests returns the lock held while the work tree's tests run by hand.
func (d Desk) Tests() string { return filepath.Join(d.Dir, "tests.lock") }

// Starts returns the lock held by the call that starts an engine, until that is at work.
func (d Desk) Starts() string { return filepath.Join(d.Dir, "starts.lock") }

// Standing is the status of a drive.
type Standing string

const (
	Working Standing = "working" // the engine is working
	Wanting Standing = "wanting" // the engine needs a mind
	Asking  Standing = "asking"  // the engine needs a person
	Over    Standing = "over"    // the engine has ended
)

// Board is what the engine says. Only the engine writes it.
type Board struct {
	Engine   durable.Process `json:"engine"`
	Mind     Who             `json:"mind"`
	Standing Standing        `json:"standing"`
	Issue    string          `json:"issue,omitempty"` // "": no work was started
	Title    string          `json:"title,omitempty"`
	Where    string          `json:"where,omitempty"`    // the phase and the chunk
	Turn     int             `json:"turn"`               // the number of the last request
	Wanted   *Wanted         `json:"wanted,omitempty"`   // stays until the reply to it is recorded
	Question *Question       `json:"question,omitempty"` // the first that is open
	Doing    string          `json:"doing,omitempty"`    // in plain words
	Since    time.Time       `json:"since,omitzero"`
	Code     int             `json:"code,omitempty"`  // exit code of an engine that has ended
	Named    string          `json:"named,omitempty"` // the only issue that a person wants driven
	Next     string          `json:"next,omitempty"`  // the approved issue that could follow
}

// Who is the mind: an agent's session and its process.
type Who struct {
	Session string `json:"session,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Stamp   string `json:"stamp,omitempty"`
}

// Wanted is what the mind should do.
type Wanted struct {
	Role   agent.Role `json:"role"`
	Prompt string     `json:"prompt"`
	Note   string     `json:"note,omitempty"` // why it is asked again
	Tree   string     `json:"tree,omitempty"` // the work tree when it was asked for
}

// Question is a question that only a person may answer.
type Question struct {
	ID      string    `json:"id"`
	Aside   bool      `json:"aside,omitempty"` // an agent asks it: the engine does not wait for the answer
	By      string    `json:"by,omitempty"`    // that agent's session
	Text    string    `json:"text"`
	Context string    `json:"context,omitempty"`
	Options []string  `json:"options,omitempty"`
	Default string    `json:"default,omitempty"`
	Taken   bool      `json:"taken,omitempty"` // the default is taken if no one answers in time
	Until   time.Time `json:"until,omitzero"`
}

// Reply reports that the mind has done what was wanted. Only the mind writes it.
type Reply struct {
	Turn   int             `json:"turn"`
	Result json.RawMessage `json:"result,omitempty"`
}

// settle derives the standing: an engine's own question is answered before it wants anything else.
func (b *Board) settle(open []*Question, wanting bool) {
	b.Question = nil
	if len(open) > 0 {
		b.Question = open[max(0, slices.IndexFunc(open, func(q *Question) bool { return !q.Aside }))]
	}
	switch {
	case b.Standing == Over:
	case b.Question != nil && !b.Question.Aside:
		b.Standing = Asking
	case wanting:
		b.Standing = Wanting
	default:
		b.Standing = Working
	}
}

// Read reads the board; false if there is no readable one.
func (d Desk) Read() (b Board, ok bool) {
	if !read(d.board(), &b) || b.Standing == Wanting && b.Wanted == nil || b.Standing == Asking && b.Question == nil {
		return Board{}, false
	}
	return b, true
}

// Write replaces the board.
func (d Desk) Write(b Board) error { return write(d.board(), b) }

// Send leaves a reply.
func (d Desk) Send(r Reply) error { return write(d.reply(), r) }

// Received returns the reply to a turn; false if there is none yet.
func (d Desk) Received(turn int) (r Reply, ok bool) {
	ok = read(d.reply(), &r) && r.Turn == turn
	return r, ok
}

// Call records who is at the other side now.
func (d Desk) Call(who Who) error { return write(d.caller(), who) }

// Caller returns who was at the other side last.
func (d Desk) Caller() (who Who) {
	read(d.caller(), &who)
	return who
}

// IsGone reports whether a mind's process has ended; false if the process is unknown.
func (w Who) IsGone(started durable.Started) bool {
	return w.PID != 0 && started.IsGone(w.PID, w.Stamp)
}

// isGone reports whether the desk was removed: no reply can come any more.
func (d Desk) isGone() bool {
	_, err := os.Stat(d.board())
	return errors.Is(err, fs.ErrNotExist)
}

// Seen is what the mind was shown last.
type Seen struct {
	Engine   int    `json:"engine"` // whose board it was
	Turn     int    `json:"turn"`
	Question string `json:"question,omitempty"`
	Read     int64  `json:"read"` // bytes of the log
	// Shown identifies the sections of prompts that a session has been shown.
	Session string `json:"session,omitempty"`
	Shown   string `json:"shown,omitempty"`
}

// LastSeen returns what was shown last; zero if nothing was.
func (d Desk) LastSeen() (s Seen) {
	read(d.seen(), &s)
	return s
}

// Show records what was shown.
func (d Desk) Show(s Seen) error { return write(d.seen(), s) }

func (d Desk) board() string  { return filepath.Join(d.Dir, "board.json") }
func (d Desk) reply() string  { return filepath.Join(d.Dir, "reply.json") }
func (d Desk) seen() string   { return filepath.Join(d.Dir, "seen.json") }
func (d Desk) caller() string { return filepath.Join(d.Dir, "caller.json") }

func read(file string, into any) bool {
	text, err := durable.ReadPlain(file)
	return err == nil && json.Unmarshal(text, into) == nil
}

func write(file string, what any) error {
	text, err := json.Marshal(what)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = durable.WriteNote(file, text)
	}
	if err != nil {
		return fmt.Errorf("leaving a note for warp next: %w", err)
	}
	return nil
}
