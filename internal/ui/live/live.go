// Package live shows drives and other engines while they run: as a block redrawn in place on a
// terminal, as one line per event elsewhere, or as JSON. It reads notes and decides nothing. A note
// only has to be queued: another goroutine writes, so a slow or closed output costs the drive
// nothing.
//
// A plain line is the time (RFC 3339, UTC), the issue ("-" if there is none yet), the note's kind
// and its text:
//
//	2026-03-01T15:04:05Z #42 test       failed: TestGreeting
//
// As JSON each note is one object on one line, without the members it does not have.
//
//	at            when, RFC 3339, UTC
//	kind          began, phase, criteria, agent, said, ran, verdict, gate, test, commit, filed,
//	              intervened, decision, skipped, wait, note, end
//	issue, title  the requirement
//	branch        the working branch
//	from, phase, event
//	              the old phase, the new phase, and the event between them
//	chunk, total  the current chunk, from 1, and the number of chunks
//	criteria      the current state of all criteria: [{id, text, done, doing, skipped}]
//	agent, role   the agent and its role
//	said          kind said: the type of the output: text, thinking, tool, result, limit, usage, note
//	tool, text    the tool and its subject; or the note's text
//	passed        whether a test, gate or verdict passed
//	hash          the commit's hash
//	number, url   of the issue or pull request that was filed
//	until         when a wait ends; a wait without it is over
//	tokens, micro_usd
//	              what the session has spent so far, in tokens and millionths of a dollar
//	unpriced      kind ran: the cost of the run is unknown
//	left_seconds  the session's remaining time
//	outcome       kind end: {issue, title, result, why, do, branch, commit, pull, started};
//	              result is merged, pull_request, partly, budget, needs_person, failed, stopped or no_work
package live

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

const (
	// pace is the time between two frames.
	pace = 100 * time.Millisecond
	// backlog is how many bytes are kept for an output that is not read.
	backlog = 4 << 20
)

// Options configure a view.
type Options struct {
	Terminal bool                       // the output understands escape sequences
	Color    bool                       // and colours
	JSON     bool                       // for programs; overrides Terminal
	Verbose  bool                       // show phases
	Size     func() (width, height int) // current terminal size; nil: of standard output
	Now      func() time.Time           // its zone is used for display; nil: time.Now
}

// View shows one or several drives.
type View struct {
	out io.Writer
	o   Options

	asking sync.Mutex // held while a caller of Hold uses the output

	mu      sync.Mutex
	drives  drives
	engines *engines // nil for a view of drives
	lines   []string // waiting to be written
	size    int      // total bytes of lines
	missed  int      // number of dropped lines
	screen  screen
	writing chan struct{} // closed when the writer is done; nil if none runs
	hurry   chan struct{} // closed to write the next frame at once
	held    bool
	closed  bool
	dead    bool // the output is gone
}

// New returns a view. Close ends it.
func New(out io.Writer, o Options) *View {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Size == nil {
		o.Size = func() (int, int) { return render.Size(os.Stdout) }
	}
	o.Terminal = o.Terminal && !o.JSON
	o.Color = o.Color && o.Terminal
	return &View{out: out, o: o, hurry: make(chan struct{})}
}

// Note shows what happened. It is safe for concurrent use; after Close it does nothing.
func (v *View) Note(n drive.Note) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || v.dead {
		return
	}
	if n.At.IsZero() {
		n.At = v.o.Now()
	}
	if v.o.JSON {
		v.add(n.Kind, marshalNote(n))
	} else {
		old, now := v.drives.take(n)
		v.add(n.Kind, v.tell(n, old, now)...)
	}
	v.wake()
}

// Hold leaves the output to a caller that asks a person something, until it calls release. Notes
// are shown afterwards. Only one caller can hold it.
func (v *View) Hold() (release func()) {
	v.asking.Lock()
	v.mu.Lock()
	v.held = true
	v.flush()
	return func() {
		v.mu.Lock()
		v.held = false
		v.wake()
		v.mu.Unlock()
		v.asking.Unlock()
	}
}

// Close removes the block. It returns when everything is written and the writer has ended.
func (v *View) Close() {
	v.mu.Lock()
	if !v.closed {
		v.closed = true
		if !v.o.JSON {
			v.add(drive.Ended, v.unfinished()...)
		}
	}
	v.flush()
}

// flush waits until everything is written and no writer runs. It unlocks v.mu.
func (v *View) flush() {
	v.start()
	done := v.writing
	close(v.hurry)
	v.hurry = make(chan struct{})
	v.mu.Unlock()
	<-done
}

// add queues lines for output. It never drops how a drive ended.
func (v *View) add(kind drive.Kind, lines ...string) {
	for _, l := range lines {
		if v.size > backlog && kind != drive.Ended {
			v.missed++
			continue
		}
		v.lines = append(v.lines, l)
		v.size += len(l)
	}
}

// wake starts a writer if there is something to write.
func (v *View) wake() {
	if !v.held && (len(v.lines) > 0 || v.o.Terminal) {
		v.start()
	}
}

func (v *View) start() {
	if v.writing == nil {
		v.writing = make(chan struct{})
		go v.write(v.writing)
	}
}

// write runs until there is nothing left to show.
func (v *View) write(done chan struct{}) {
	defer close(done)
	for {
		width, height := v.o.Size()
		v.mu.Lock()
		text := v.next(width, height)
		more := v.drawing()
		if text == "" && !more {
			v.writing = nil
			v.mu.Unlock()
			return
		}
		hurry := v.hurry
		v.mu.Unlock()
		if _, err := io.WriteString(v.out, text); text != "" && err != nil {
			v.mu.Lock()
			v.dead, v.lines, v.size = true, nil, 0
			v.mu.Unlock()
		}
		if more {
			select {
			case <-hurry:
			case <-time.After(pace):
			}
		}
	}
}

// next returns the next text for the output.
func (v *View) next(width, height int) string {
	if v.missed > 0 && v.size == 0 && !v.dead {
		v.add(drive.Remark, v.tellMissed()...)
		v.missed = 0
	}
	lines := v.lines
	v.lines, v.size = nil, 0
	switch {
	case v.dead:
		return ""
	case v.o.Terminal:
		width, height = max(width, 1), max(height, 2)
		return v.screen.frame(lines, v.block(width, height), width, height)
	case len(lines) == 0:
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// drawing reports whether there is a block that changes with time.
func (v *View) drawing() bool {
	return v.o.Terminal && !v.held && !v.closed && !v.dead && (len(v.drives.running()) > 0 || v.engines != nil)
}
