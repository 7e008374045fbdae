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

// drainRounds bounds how long we listen to a process that left the group and keeps writing, in
// units of Cmd.Drain.
const drainRounds = 10

// busyRounds bounds how long output may be processed before more is read. Neither that nor unread
// output in a pipe counts as silence of the command.
const busyRounds = 240

// pipes connect a command to its input and to the sink. We do not use those of os/exec, because its
// Wait returns only when no process holds them, which is too late to kill the group that does.
type pipes struct {
	child  []*os.File // the command's ends, which we close once it runs
	ours   []*os.File
	copies []func()     // copy the output
	reads  []*reading   // the pipes they read
	input  func()       // nil if none
	busy   atomic.Int32 // copies that are processing what they read
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
		// A command need not read all of its input.
		_, _ = io.Copy(w, from)
		_ = w.Close()
	}
	return nil
}

// copyBuffers are reused: two per command were an eighth of all memory that a drive allocated.
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

// isBehind reports whether the pipe has unread output or an unseen end. A machine that stalled
// since the command ended had no time to read it.
func (r *reading) isBehind() bool { return !r.ended.Load() && hasMore(r.file) }

// start starts copying. It closes the command's ends: the output ends only when the last writer is
// gone, and we would be one.
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

// watched counts readers that are processing what they read.
type watched struct {
	io.Reader
	busy *atomic.Int32
	at   bool // it is processing
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

// drain waits for output left in the pipes. It continues while some comes, so that a slow disk
// loses nothing, and gives up on a pipe that is only held open.
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

// closeAll closes files; closing one twice does no harm.
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
