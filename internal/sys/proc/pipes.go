package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// drainRounds bounds how long a process that left the group and keeps writing
// is listened to, in units of Cmd.Drain.
const drainRounds = 10

// busyRounds bounds how long what was read may be worked on before more is read: that
// is no silence of the command's, nor is what waits in a pipe to be read.
const busyRounds = 240

// pipes connect a command to its input and to the sink. They are made here and
// not by os/exec because its Wait returns only when no process holds them any more,
// which is too late to kill the group that holds them.
type pipes struct {
	child  []*os.File // the command's ends, of no use to us once it runs
	ours   []*os.File
	copies []func()     // the output
	reads  []*reading   // what they read
	input  func()       // nil: none
	busy   atomic.Int32 // copies that work on what they have read
	done   chan struct{}
	once   sync.Once
}

func attach(cmd *exec.Cmd, stdin io.Reader, out *sink, lines *liner) (*pipes, error) {
	p := &pipes{done: make(chan struct{})}
	err := errors.Join(
		p.stdin(cmd, stdin),
		p.output(&cmd.Stdout, io.MultiWriter(stream{out, &out.stdout}, lines)),
		p.output(&cmd.Stderr, stream{out, &out.stderr}),
	)
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *pipes) stdin(cmd *exec.Cmd, from io.Reader) error {
	if f, ok := from.(*os.File); ok || from == nil {
		if ok {
			cmd.Stdin = f
		}
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdin = r
	p.child, p.ours = append(p.child, r), append(p.ours, w)
	p.input = func() {
		// A command that does not read all of its input is not at fault.
		_, _ = io.Copy(w, from)
		_ = w.Close()
	}
	return nil
}

// copyBuffers are what output is read into. They are kept: two for every command were an eighth
// of all memory that a drive asked for.
var copyBuffers = sync.Pool{New: func() any {
	buffer := make([]byte, 32<<10)
	return &buffer
}}

func (p *pipes) output(to *io.Writer, s io.Writer) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	*to = w
	p.child, p.ours = append(p.child, w), append(p.ours, r)
	reads := &reading{file: r}
	p.reads = append(p.reads, reads)
	p.copies = append(p.copies, func() {
		w := &watched{Reader: r, busy: &p.busy}
		buffer := copyBuffers.Get().(*[]byte)
		_, _ = io.CopyBuffer(s, w, *buffer)
		copyBuffers.Put(buffer)
		w.rest()
		reads.ended.Store(true)
	})
	return nil
}

// reading is a pipe with the command's output.
type reading struct {
	file  *os.File
	ended atomic.Bool
}

// isBehind reports whether the pipe has what was not read yet, or an end that was not seen. A
// machine that stood still between the command's end and now has had no time to read it.
func (r *reading) isBehind() bool { return !r.ended.Load() && hasMore(r.file) }

// start begins to copy. It gives up the command's ends, as the output ends only
// when the last writer is gone, and we would be one.
func (p *pipes) start() {
	closeAll(p.child)
	if p.input != nil {
		go p.input()
	}
	var all sync.WaitGroup
	for _, c := range p.copies {
		all.Go(c)
	}
	go func() {
		all.Wait()
		close(p.done)
	}()
}

// watched counts while what was read is worked on.
type watched struct {
	io.Reader
	busy *atomic.Int32
	at   bool // it is being worked on
}

func (w *watched) Read(b []byte) (int, error) {
	w.rest()
	n, err := w.Reader.Read(b)
	if n > 0 {
		w.at = true
		w.busy.Add(1)
	}
	return n, err
}

func (w *watched) rest() {
	if w.at {
		w.at = false
		w.busy.Add(-1)
	}
}

// drain waits for the output that the command left in the pipes. It goes on as
// long as there is some, so that a slow disk costs nothing of it, and gives up
// on a pipe that is only held open.
func (p *pipes) drain(out *sink, wait time.Duration) {
	defer p.close()
	tick := time.NewTicker(wait)
	defer tick.Stop()
	before := out.size()
	for rounds, busy := 0, 0; rounds < drainRounds && busy < busyRounds; {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		now := out.size()
		switch {
		case p.busy.Load() > 0 || slices.ContainsFunc(p.reads, (*reading).isBehind):
			busy++
		case now == before:
			return
		default:
			rounds++
		}
		before = now
	}
}

func (p *pipes) close() {
	p.once.Do(func() {
		closeAll(p.child)
		closeAll(p.ours)
	})
}

// closeAll closes what may have been closed before: os.File knows.
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
