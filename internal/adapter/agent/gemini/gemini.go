// Package gemini is the agent Gemini CLI: it turns a task into a call and parses the event stream.
//
// It relies on the following, measured on version 0.61.0:
//
//   - Without --prompt, and with data on stdin, it reads the prompt there and asks no questions.
//     --resume takes the session's id.
//   - A session in which the model has not answered yet is not kept: resuming it fails, so its id
//     is not passed on.
//   - The approval mode auto_edit has no shell if no person can be asked, so agents that run tests
//     get yolo; plan is for reading only.
//   - The usage comes once, with the result event, for this run, so no budget applies during a
//     run. Prices are not reported.
//   - An API error is a text in the result event; its HTTP status is the exit code, modulo 256. No
//     reset time is reported.
//   - It exits before a last message of megabytes is written. The result event is lost with it,
//     and the run is unusable.
//   - There is no schema for the answer, no turn limit and no effort: the schema is added to the
//     prompt, the others are left out.
package gemini

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
)

// Options are the user's settings.
type Options struct {
	Path string // the program; "" for gemini in PATH
}

type adapter struct{ path string }

// New returns the adapter.
func New(o Options) agent.Adapter { return adapter{cmp.Or(o.Path, "gemini")} }

// Name implements agent.Adapter.
func (a adapter) Name() string { return "gemini" }

// Invoke implements agent.Adapter.
func (a adapter) Invoke(t agent.Task, _ string, schema []byte) (agent.Invocation, error) {
	if strings.TrimSpace(t.Prompt) == "" {
		return agent.Invocation{}, errors.New("the prompt is empty; say what the agent should do")
	}
	argv := []string{a.path, "--output-format", "stream-json"}
	if t.ReadOnly || t.Level < 2 {
		argv = append(argv, "--approval-mode", "plan")
	} else {
		argv = append(argv, "--approval-mode", "yolo")
	}
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if t.Session != "" {
		argv = append(argv, "--resume", t.Session)
	}
	prompt := t.Prompt
	if len(schema) > 0 {
		prompt += "\n\nEnd with one fenced json block that fits this JSON schema, and nothing after it:\n" + string(schema) + "\n"
	}
	return agent.Invocation{Argv: argv, Stdin: prompt}, nil
}

// Parser implements agent.Adapter.
func (a adapter) Parser(t agent.Task) agent.Parser {
	return &parser{session: t.Session, kept: t.Session != ""}
}

// Tells implements agent.Frugal.
func (a adapter) Tells() agent.Tells { return agent.Tells{Tokens: true, Model: true} }

// patience suits a program that takes seconds to start.
const patience = 30 * time.Second

// Check implements agent.Adapter. No command reports the login, so it is known only if a key is
// set or a login has left its file.
func (a adapter) Check(ctx context.Context) agent.Health {
	h, works := agent.FindProgram(ctx, a.path, patience, "the Gemini CLI", "npm install -g @google/gemini-cli")
	if !works {
		return h
	}
	home, _ := os.UserHomeDir()
	_, err := os.Stat(filepath.Join(home, ".gemini", "oauth_creds.json"))
	if err == nil || os.Getenv("GEMINI_API_KEY") != "" || os.Getenv("GOOGLE_API_KEY") != "" {
		yes := true
		h.LoggedIn = &yes
	} else {
		h.Advice = "set GEMINI_API_KEY, or start gemini once and log in"
	}
	return h
}

// Needs implements agent.Confined. With SANDBOX set, Gemini believes it is in a sandbox and starts
// none, whatever its settings.
func (a adapter) Needs(agent.Task, []string) contain.Needs {
	return contain.Needs{
		Set: []string{"SANDBOX=warp"},
		Env: []string{"GEMINI_*", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"},
		Config: []contain.Config{{Path: ".gemini", Copy: []string{"oauth_creds.json", "google_accounts.json", "settings.json", "GEMINI.md", "installation_id", "trustedFolders.json", "commands", "extensions"},
			Credentials: []string{"oauth_creds.json"}, Keep: []string{"projects.json", "tmp/*/.project_root", "tmp/*/chats/*"}}},
		Hosts: []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "accounts.google.com"},
		Key: &contain.Key{BaseEnv: "GOOGLE_GEMINI_BASE_URL", Base: "https://generativelanguage.googleapis.com",
			Secrets: []contain.Secret{{Env: "GEMINI_API_KEY", Header: "X-Goog-Api-Key"}}},
	}
}
