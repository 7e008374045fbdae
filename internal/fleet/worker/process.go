package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// process is a conducted drive: it asks over pipes and does nothing before it has the reply. When
// this program dies, the pipes close, and the drive ends its agent.
type process struct {
	dir     string
	says    chan conduct.Say
	end     context.CancelFunc
	done    chan struct{} // closed once it and all its children have ended
	in      *os.File
	writing sync.Mutex
	pending *conduct.Say // the request that waits for a reply
	why     error        // the error it ended with; set before done is closed
}

// endTime is how long a drive may take to end its agent before both are killed.
const endTime = 3 * time.Second

// startProcess starts a conducted drive. It first ends what an earlier worker left behind under the
// same mark.
func startProcess(argv []string, dir, log, mark string, environ []string) (*process, error) {
	// The drive gets the pipe itself, so that a write to a dead one fails at once.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	proc.EndMarked(mark)
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{dir: dir, says: make(chan conduct.Say), end: cancel, done: make(chan struct{}), in: w}
	go func() {
		defer close(p.done)
		defer close(p.says)
		defer r.Close()
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Env: environ, Stdin: r, Log: log, Mark: mark, Grace: endTime,
			Started: func(int) { _ = r.Close() }, Line: func(line []byte) { p.hear(ctx, line) }})
		if err == nil && res.Exit != 0 {
			err = fmt.Errorf("exit code %d: %s", res.Exit, text.LastLine(string(res.Stderr)))
		}
		p.why = err
	}()
	return p, nil
}

// hear takes a line from the drive. Lines outside the protocol are only in the log.
func (p *process) hear(ctx context.Context, line []byte) {
	var s conduct.Say
	if json.Unmarshal(line, &s) != nil || s.Kind == "" {
		return
	}
	select {
	case p.says <- s:
	case <-ctx.Done():
	}
}

// reply answers the drive's request.
func (p *process) reply(r conduct.Reply) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_ = p.in.SetWriteDeadline(time.Now().Add(endTime)) // do not wait for a drive that does not read
	_, err = p.in.Write(append(line, '\n'))
	return err
}

// kill ends the drive and its agent, and waits until both are gone.
func (p *process) kill() {
	_ = p.in.Close() // makes the drive end its agent
	go func() {
		for range p.says { // drain its output, so that it can end
			continue
		}
	}()
	select {
	case <-p.done:
	case <-time.After(endTime):
	}
	p.end()
	<-p.done
}

// describe returns how a drive ended that sent no outcome.
func (p *process) describe() string {
	if p.why == nil {
		return "the drive ended without an outcome"
	}
	return "the drive broke off: " + strings.TrimSpace(p.why.Error())
}
