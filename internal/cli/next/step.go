package next

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/engine/mind"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// Ask is one call by the mind: its result, and what it wants next.
type Ask struct {
	Issue  string
	Result json.RawMessage
	Wait   time.Duration
	Show   bool // only show what is wanted again
	More   bool // take another issue after the named one
	Tool   bool // called through a tool, not a shell
}

// Said is what comes next.
type Said struct {
	Text     string
	Code     int
	Question *mind.Question // for a person
}

// client is one call of warp next.
type client struct {
	app    *app.App
	drive  *turnstile.Drive
	desk   mind.Desk
	who    mind.Who
	person bool     // a person is at the session
	engine int      // PID of the engine just started
	shown  []string // sections of prompts that the session has been shown; nil: as before
	// launch starts an engine that outlives this call.
	launch func(argv, env []string) (pid int, gone <-chan int, err error)
	Ask
}

const lookAgain = 50 * time.Millisecond

// Step delivers the result, if any, and returns the next step.
func Step(ctx context.Context, a *app.App, d *turnstile.Drive, q Ask) (Said, error) {
	state, err := trust.Folder(a.Getenv)
	if err != nil {
		return Said{}, err
	}
	c := &client{app: a, drive: d, desk: mind.At(state, d.Root()), Ask: q}
	c.launch = func(argv, env []string) (int, <-chan int, error) {
		return proc.Detach(argv, d.Root(), c.desk.Log(), env)
	}
	c.who, c.person = session(a)
	return c.step(ctx)
}

func (c *client) step(ctx context.Context) (Said, error) {
	b, ok := c.desk.Read()
	alive := ok && c.alive(b)
	if err := c.refuse(b, alive); err != nil {
		return Said{}, err
	}
	if err := c.desk.Call(c.who); err != nil {
		return Said{}, err
	}
	if !alive {
		if said, over := c.repeatEnd(b, ok); over {
			return said, nil
		}
	}
	done, err := c.deliver(b)
	if err != nil {
		return Said{}, err
	}
	if !alive {
		return c.start(ctx, b, done)
	}
	return c.wait(ctx, done, nil)
}

// deliver reports that the task on the board is done, if the mind was shown it, also when its
// engine has died: the next one takes the work. It returns the turn, or noTurn.
func (c *client) deliver(b mind.Board) (turn int, err error) {
	seen := c.desk.LastSeen()
	if shown := seen.Engine == b.Engine.PID && seen.Turn == b.Turn; b.Standing != mind.Wanting || !shown || c.Show {
		if len(c.Result) > 0 {
			c.app.Note("the result was ignored: you have not been shown a task yet")
		}
		return noTurn, nil
	}
	return b.Turn, c.desk.Send(mind.Reply{Turn: b.Turn, Result: c.Result})
}

const noTurn = -1

// session returns the agent session around this process. Without one, a person is the mind.
func session(a *app.App) (who mind.Who, person bool) {
	who.Session = a.Getenv("CLAUDE_CODE_SESSION_ID")
	if pid, err := strconv.Atoi(a.Getenv("CLAUDE_PID")); err == nil && pid > 0 && who.Session != "" {
		who.PID = pid
		who.Stamp, _ = a.Env.Started(pid)
	}
	return who, who.Session == "" || a.Getenv("CLAUDE_CODE_ENTRYPOINT") == "cli"
}

// alive reports whether a board's engine is running.
func (c *client) alive(b mind.Board) bool {
	stamp, alive := c.app.Env.Started(b.Engine.PID)
	return b.Standing != mind.Over && alive && (b.Engine.Stamp == "" || stamp == b.Engine.Stamp)
}

// refuse refuses calls that would disturb another session or do not fit this drive.
func (c *client) refuse(b mind.Board, alive bool) error {
	other := b.Mind.Session != "" && b.Mind.Session != c.who.Session && (b.Mind.PID == 0 || b.Mind.PID != c.who.PID)
	switch {
	case !alive:
		return nil
	case other && b.Mind.PID > 0 && !b.Mind.IsGone(c.app.Env.Started):
		return fmt.Errorf("another session (process %d) works on the drive of #%s here; see it with warp status, end it with warp stop", b.Mind.PID, b.Issue)
	case c.Issue != "" && cmp.Or(b.Issue, b.Named, c.Issue) != c.Issue:
		return app.WrongUsage("#%s is already being driven here: run warp next without a number, or end it first (warp stop)", cmp.Or(b.Issue, b.Named))
	}
	return nil
}

// repeatEnd repeats that the drive of a named issue, one that was stopped, or one after which another
// was offered, has ended: no other
// issue was requested.
func (c *client) repeatEnd(b mind.Board, known bool) (Said, bool) {
	if !known || b.Standing != mind.Over || b.Named == "" && b.Next == "" && b.Code != app.Interrupt || b.Issue == "" || c.unfinished() || c.Issue != "" || c.More || b.Mind.Session != c.who.Session {
		return Said{}, false
	}
	if seen := c.desk.LastSeen(); c.newOutput(&seen) != "" {
		return c.endMessage(b), true // its end has not been reported yet
	}
	return Said{Text: fmt.Sprintf("The drive of #%s has ended; there is nothing to do.\nwarp next --more takes the next approved issue, warp next N takes issue N.\n", b.Issue)}, true
}

// unfinished reports whether the drive here is unfinished.
func (c *client) unfinished() bool {
	v, err := c.drive.Read()
	return err == nil && v.State.Phase.Active()
}

// stopped reports whether a person stopped the drive here, and it is not cleaned up yet.
func (c *client) stopped() bool {
	v, err := c.drive.Read()
	return err == nil && v.State.Phase == drivestate.Aborted && len(v.State.Chunk.Skipped) == 0
}

// refuseHeld refuses to start a second engine for the drive: its messages would replace those of
// the first.
func (c *client) refuseHeld() error {
	v, err := c.drive.Read()
	if err != nil || !drivestate.EngineAt(v.State) || c.drive.Ownership.IsGone(turnstile.OwnerOf(v.State)) {
		return nil // there is none, or the new engine reports the problem
	}
	return &turnstile.ActiveError{Issue: v.State.Issue(), Phase: v.State.Phase, PID: v.State.Session.PID}
}

// sessionVars are session variables that the engine's processes must not get.
var sessionVars = []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR"}

// start starts an engine that outlives this call. done is the turn that the mind has just replied to.
func (c *client) start(ctx context.Context, old mind.Board, done int) (Said, error) {
	lock, free := durable.OS{}.TryLock(c.desk.Starts())
	if !free { // another call holds it
		return c.wait(ctx, done, make(chan int))
	}
	defer lock.Close()
	if err := c.refuseHeld(); err != nil {
		return Said{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return Said{}, err
	}
	argv := []string{self, "drive", "--desk", c.desk.Dir, "--mind", c.who.Session, "--mind-pid", strconv.Itoa(c.who.PID)}
	if c.person {
		argv = append(argv, "--mind-person")
	}
	if c.app.Sandbox != "" {
		argv = append(argv, "--sandbox", c.app.Sandbox)
	}
	if c.stopped() && c.Issue == "" && !c.More {
		argv = append(argv, "--only-clean-up")
	}
	notBegun := old.Issue == "" && old.Mind.Session == c.who.Session && !c.More
	if c.Issue == "" && (notBegun || c.unfinished()) {
		c.Issue = old.Named // still the named one
	}
	if c.Issue != "" {
		argv = append(argv, c.Issue)
	}
	env := slices.DeleteFunc(slices.Clone(c.app.AllEnviron()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(sessionVars, name)
	})
	pid, gone, err := c.launch(argv, env)
	if err != nil {
		return Said{}, fmt.Errorf("starting the engine: %w", err)
	}
	was := c.desk.LastSeen()
	if err := c.desk.Show(mind.Seen{Engine: pid, Turn: done, Question: was.Question, Session: was.Session, Shown: was.Shown}); err != nil {
		return Said{}, err
	}
	c.engine = pid
	return c.wait(ctx, done, gone)
}

// wait waits until something new is wanted, the engine ends, or the call's time is up. gone
// receives the exit code of an engine that was just started, when it ends.
func (c *client) wait(ctx context.Context, done int, gone <-chan int) (Said, error) {
	late := time.After(c.Wait)
	for fresh := gone == nil; ; {
		b, ok := c.desk.Read()
		fresh = fresh || ok && c.alive(b)
		switch {
		case !fresh: // an earlier engine's
		case b.Standing == mind.Wanting && b.Turn != done:
			return c.tell(b, c.taskText(b)+c.askedAside(b)), nil
		case b.Standing == mind.Asking && !c.isAnswered(b.Question.ID):
			said := c.tell(b, questionText(b))
			said.Question = b.Question
			return said, nil
		case b.Standing == mind.Working && b.Question != nil && c.isNews(b.Question): // who asks may wait for it
			return c.tell(b, c.runningText(b)), nil
		case b.Standing == mind.Over:
			return c.endMessage(b), nil
		case !c.alive(b):
			if b, _ = c.desk.Read(); b.Standing != mind.Over { // it left no final message
				return c.tell(b, "The engine ended without a message. Run warp next again: it continues from the last safe step.\n"), nil
			}
			continue
		}
		select {
		case <-ctx.Done():
			return Said{}, ctx.Err()
		case <-gone:
			b, ok := c.desk.Read()
			if gone, fresh = nil, fresh || ok && b.Engine.PID == c.engine; !fresh { // it could not even begin
				return Said{Text: c.newOutput(&mind.Seen{}) + "\n", Code: app.Failed}, nil
			}
		case <-late:
			return c.tell(b, c.runningText(b)), nil
		case <-time.After(lookAgain):
		}
	}
}

// isNews reports whether a question was asked by another session than this one, and not shown yet.
func (c *client) isNews(q *mind.Question) bool {
	return q.By != c.who.Session && c.desk.LastSeen().Question != q.ID && !c.isAnswered(q.ID)
}

// isAnswered reports whether a question was just answered and the engine does not know yet: no
// person is asked twice.
func (c *client) isAnswered(id string) bool {
	desk, err := inboxcmd.Desk(c.app, c.drive)
	if err != nil {
		return false
	}
	book, err := desk.Book()
	if err != nil {
		return false
	}
	q := book.Find(id)
	return q != nil && q.Answered()
}

// endMessage describes how the drive ended.
func (c *client) endMessage(b mind.Board) Said {
	said := c.tell(b, "")
	said.Code = b.Code
	switch {
	case b.Issue == "" && b.Code != app.Done:
		said.Text += "\nNothing was started. Fix the cause, then run warp next again.\n"
	case c.unfinished():
		said.Text += "\nThe drive has stopped here and is kept. A person can look at it (warp status); warp next continues it.\n"
	case b.Issue == "":
		said.Text += "\nThere is nothing to do. When a person has approved an issue, warp next takes it.\n"
	case b.Next != "" && b.Code == app.Done:
		said.Text += c.offerText(b.Next)
	case b.Named != "" || b.Code != app.Done:
		said.Text += "\nThe drive has ended; there is nothing left to do.\n"
	default:
		said.Text += "\nThis one is done. warp next takes the next approved issue, if there is one.\n"
	}
	return said
}
