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
	"warp/internal/sys/proc"
)

// process is a drive that is conducted: it asks over pipes, and does nothing before it
// has its reply. When this program dies, its pipes do, and it ends its agent.
type process struct {
	dir     string
	says    chan conduct.Say
	end     context.CancelFunc
	done    chan struct{} // it has ended, and everything that it started
	in      *os.File
	writing sync.Mutex
	pending *conduct.Say // what waits for its reply
	why     error        // how it ended; set before done is closed
}

// endTime is how long a drive may take to end its agent before it is killed with it.
const endTime = 3 * time.Second

// startProcess starts a conducted drive. What an earlier worker has left behind under the
// same mark is ended before.
func startProcess(argv []string, dir, log, mark string, environ []string) (*process, error) {
	// The drive gets the pipe itself: one that has died does not keep a reply waiting.
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
			err = fmt.Errorf("exit code %d: %s", res.Exit, lastLine(string(res.Stderr)))
		}
		p.why = err
	}()
	return p, nil
}

// hear takes a line of the drive. What is none of the conversation is in the log.
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

// reply answers what the drive waits for.
func (p *process) reply(r conduct.Reply) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_ = p.in.SetWriteDeadline(time.Now().Add(endTime)) // one that does not listen is not waited for
	_, err = p.in.Write(append(text, '\n'))
	return err
}

// kill ends the drive and its agent, and waits until both are gone.
func (p *process) kill() {
	_ = p.in.Close() // the drive ends its agent by itself
	go func() {
		for range p.says { // what it still says must not keep it from ending
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

// describe says how a drive ended that did not say so itself.
func (p *process) describe() string {
	if p.why == nil {
		return "the drive ended without an outcome"
	}
	return "the drive broke off: " + strings.TrimSpace(p.why.Error())
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
