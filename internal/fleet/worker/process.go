package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	in      *io.PipeWriter
	writing sync.Mutex
	pending *conduct.Say // what waits for its reply
	why     error        // how it ended; set before done is closed
}

// endTime is how long a drive may take to end its agent before it is killed with it.
const endTime = 3 * time.Second

// startProcess starts a conducted drive.
func startProcess(argv []string, dir, log, mark string, environ []string) *process {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	p := &process{dir: dir, says: make(chan conduct.Say), end: cancel, done: make(chan struct{}), in: w}
	go func() {
		defer close(p.done)
		defer close(p.says)
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Env: environ, Stdin: r, Log: log, Mark: mark, Grace: endTime,
			Line: func(line []byte) { p.hear(ctx, line) }})
		if err == nil && res.Exit != 0 {
			err = fmt.Errorf("exit code %d: %s", res.Exit, lastLine(string(res.Stderr)))
		}
		p.why = err
		_ = r.CloseWithError(errors.New("the drive has ended"))
	}()
	return p
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
	_, err = p.in.Write(append(text, '\n'))
	return err
}

// kill ends the drive and its agent, and waits until both are gone.
func (p *process) kill() {
	_ = p.in.Close() // the drive ends its agent by itself
	select {
	case <-p.done:
	case <-time.After(endTime):
	}
	p.end()
	for range p.says { // it may be about to say something
		continue
	}
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
