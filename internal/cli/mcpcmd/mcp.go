// Package mcpcmd is warp mcp: what an agent session needs of warp, as tools of the Model Context
// Protocol on standard input and output. A tool is a warp command, with the same output and the
// same restrictions for agents. If the agent's sandbox blocks its shell from the network and the
// state folder, this is how it reaches warp.
package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/next"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Offer next, status, ask, inbox, issues and evidence to an agent as MCP tools",
		Long: `Offer warp to an agent session as tools of the Model Context Protocol, on standard
input and output. The agent starts it; warp init --mcp registers it in .mcp.json for
Claude Code.

  next         take the next step of a drive that the session works on
  status       where the drive is
  ask          put a question to a person
  inbox        decisions that wait for a person
  issue_list   the issues
  issue_show   one of them
  evidence     the evidence for the work on an issue

Each is the warp command of that name. Decisions of a person are not offered.`,
		Example: "  claude mcp add warp -- warp mcp",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			err := serve(ctx, a, d, &mcp.StdioTransport{})
			if ctx.Err() != nil {
				return nil // its client has ended
			}
			return err
		}),
	}
}

// instructions are given to the model with the tools.
const instructions = `Warp Drive takes approved issues to merged work, with evidence. When asked to work on an issue with it, call the tool next with the issue number, do what it says, and call next again until it says that the drive has ended. It runs tests, commits, reports and merges.`

func serve(ctx context.Context, a *app.App, d *turnstile.Drive, over mcp.Transport) error {
	h := &host{app: inSession(a), drive: d, shown: func() bool { return a.IsPersons(d, os.Getppid()) }}
	return newServer(h).Run(ctx, over)
}

func newServer(h *host) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "warp", Title: "Warp Drive", Version: app.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		// Later protocol versions do not let a server ask anything during a call.
		SupportedProtocolVersions: slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v > "2025-11-25" }),
	})
	mcp.AddTool(s, &mcp.Tool{Name: "next", Description: "Take the next step of a drive that you work on. Returns your next task, or how the drive ended. Call it again when the task is done."}, h.next)
	mcp.AddTool(s, &mcp.Tool{Name: "ask", Description: "Ask a person a question. Returns the answer, or the id of the waiting question."}, h.ask)
	for _, t := range []struct {
		name, about string
		argv        []string
		issue       bool
	}{
		{"status", "Where the drive in this project is.", []string{"status"}, false},
		{"inbox", "Decisions that wait for a person.", []string{"inbox"}, false},
		{"issue_list", "The issues of this project.", []string{"issue", "list"}, false},
		{"issue_show", "One issue with its criteria.", []string{"issue", "show"}, true},
		{"evidence", "The evidence for the work on an issue: for each criterion its commit, tests and verdict.", []string{"evidence"}, true},
	} {
		if t.issue {
			mcp.AddTool(s, &mcp.Tool{Name: t.name, Description: t.about}, func(ctx context.Context, _ *mcp.CallToolRequest, in issue) (*mcp.CallToolResult, any, error) {
				if in.Issue < 1 {
					return nil, nil, errors.New("the issue's number is missing")
				}
				return h.run(ctx, append(slices.Clone(t.argv), strconv.Itoa(in.Issue))...)
			})
			continue
		}
		mcp.AddTool(s, &mcp.Tool{Name: t.name, Description: t.about}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			return h.run(ctx, t.argv...)
		})
	}
	return s
}

type issue struct {
	Issue int `json:"issue" jsonschema:"the issue's number"`
}

type step struct {
	Issue  int            `json:"issue,omitempty" jsonschema:"the number of the issue to begin with; without one, the drive that is unfinished, or the next approved issue"`
	Result map[string]any `json:"result,omitempty" jsonschema:"your answer, if the task asks for one"`
	Show   bool           `json:"show,omitempty" jsonschema:"show the task again, without reporting it as done"`
	More   bool           `json:"more,omitempty" jsonschema:"take the next approved issue when the named one is done"`
}

type question struct {
	Question string   `json:"question" jsonschema:"the decision to make"`
	Options  []string `json:"options,omitempty" jsonschema:"the options to choose from"`
	Default  string   `json:"default,omitempty" jsonschema:"the option you recommend"`
}

// host answers the calls of one session.
type host struct {
	app   *app.App
	drive *turnstile.Drive
	shown func() bool // whether a person sees what the client shows
}

// inSession returns the app of the session that started us, which is our parent process.
func inSession(a *app.App) *app.App {
	b, pid := *a, strconv.Itoa(os.Getppid())
	b.Getenv = func(name string) string {
		if name == "CLAUDE_PID" {
			return pid
		}
		return a.Getenv(name)
	}
	return &b
}

// patience is how long a call waits: less than clients do.
const patience = 50 * time.Second

func (h *host) next(ctx context.Context, req *mcp.CallToolRequest, in step) (*mcp.CallToolResult, any, error) {
	q := next.Ask{Wait: patience, Show: in.Show, More: in.More, Tool: true}
	switch {
	case in.Issue < 0:
		return nil, nil, fmt.Errorf("%d is not an issue number", in.Issue)
	case in.Issue > 0:
		q.Issue = strconv.Itoa(in.Issue)
	}
	if in.Result != nil {
		text, err := json.Marshal(in.Result)
		if err != nil {
			return nil, nil, err
		}
		q.Result = text
	}
	for {
		said, err := next.Step(ctx, h.app, h.drive, q)
		if err != nil {
			return nil, nil, errors.New(app.Message(err))
		}
		if said.Question == nil || !h.askPerson(ctx, req.Session, said) {
			return text(said.Text, said.Code), nil, nil
		}
		q = next.Ask{Wait: patience, Tool: true}
	}
}

// askPerson asks the person at the session, if the client can show a question outside of the
// model. A client that the model started shows nothing to a person. The text comes from the
// inbox, which gets the answer.
func (h *host) askPerson(ctx context.Context, s *mcp.ServerSession, said next.Said) bool {
	desk, err := inboxcmd.Desk(h.app, h.drive)
	if err != nil || !h.shown() {
		return false
	}
	book, err := desk.Book()
	if err != nil {
		return false
	}
	q := book.Find(said.Question.ID)
	if q == nil || q.Answered() {
		return q != nil
	}
	answer := map[string]any{"type": "string", "title": "Answer"}
	if len(q.Options) > 0 {
		answer["enum"] = q.Options
	}
	if q.Default != "" {
		answer["default"] = q.Default
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{"answer": answer}, "required": []string{"answer"}}
	r, err := s.Elicit(ctx, &mcp.ElicitParams{Message: q.Question, RequestedSchema: schema})
	if err != nil || r.Action != "accept" {
		return false
	}
	words, _ := r.Content["answer"].(string)
	if words == "" {
		return false
	}
	_, err = desk.Answer(q.ID, words, "terminal")
	return err == nil
}

func (h *host) ask(ctx context.Context, _ *mcp.CallToolRequest, in question) (*mcp.CallToolResult, any, error) {
	if in.Question == "" {
		return nil, nil, errors.New("the question is missing")
	}
	argv := []string{"ask", "--wait", patience.String()}
	for _, o := range in.Options {
		argv = append(argv, "--option="+o)
	}
	if in.Default != "" {
		argv = append(argv, "--default="+in.Default)
	}
	return h.run(ctx, append(argv, "--", in.Question)...)
}

// run runs a warp command as the session's shell would.
func (h *host) run(ctx context.Context, argv ...string) (*mcp.CallToolResult, any, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	r, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{self}, argv...), Dir: h.app.Dir, Env: append(slices.Clone(h.app.AllEnviron()), "CLAUDE_PID="+h.app.Getenv("CLAUDE_PID"))})
	if err != nil {
		return nil, nil, fmt.Errorf("running warp %s: %w", argv[0], err)
	}
	return text(string(r.Stdout)+string(r.Stderr), r.Exit), nil, nil
}

func text(words string, code int) *mcp.CallToolResult {
	if code != 0 {
		words += fmt.Sprintf("(exit code %d)\n", code)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}, IsError: code != 0}
}
