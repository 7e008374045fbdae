package proc

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// liner splits a command's stdout into lines, and notices when none come.
type liner struct {
	mu   sync.Mutex
	line func([]byte)
	max  int
	rest []byte // a line that has not ended yet
	skip bool   // the current line is too long
	long int
	over bool
	said chan struct{}
	busy atomic.Bool // the callback is running, so the command is not silent
}

func newLiner(line func([]byte), most int) *liner {
	if most <= 0 {
		most = DefaultMaxLine
	}
	return &liner{line: line, max: most, said: make(chan struct{}, 1)}
}

// Write never fails: it skips lines that are too long.
func (l *liner) Write(p []byte) (int, error) {
	l.lives()
	if l.line == nil {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0 && !l.over; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			l.keep(rest)
			break
		}
		l.keep(rest[:i])
		l.tell()
		rest = rest[i+1:]
	}
	return len(p), nil
}

func (l *liner) keep(part []byte) {
	if l.skip || len(l.rest)+len(part) > l.max {
		l.skip, l.rest = true, l.rest[:0]
		return
	}
	l.rest = append(l.rest, part...)
}

// tell passes on a line. It frees a buffer that grew for one huge line.
func (l *liner) tell() {
	switch {
	case l.skip:
		l.long++
	default:
		l.busy.Store(true)
		l.line(bytes.TrimSuffix(l.rest, []byte{'\r'}))
		l.lives() // the idle time starts over after the callback
		l.busy.Store(false)
	}
	l.skip = false
	if l.rest = l.rest[:0]; cap(l.rest) > 1<<20 {
		l.rest = nil
	}
}

// end passes on an unfinished last line. Nothing is passed on afterwards, even if a process that
// left the group still writes.
func (l *liner) end(r *Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line != nil && (len(l.rest) > 0 || l.skip) {
		l.tell()
	}
	l.over, r.LongLine = true, l.long
}
