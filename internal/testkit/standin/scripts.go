package standin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/adapter/agent/demo"
	"warp/internal/engine/agent"
)

// forms are what the agent can be told to answer, beside the switches and in the same
// list. Each is played once; one that is listed twice is played in two runs.
var forms = []struct {
	name, form string
	role       agent.Role
}{
	{"conflict", "conflict=TYPE/SEVERITY[/ACTION][@TASK[/CHECK]]", agent.Supervise}, // it finds a conflict
	{"finding", "finding=PRIORITY/TITLE[@FILE+FILE]", agent.Scan},                   // it finds something to improve
}

// parseScripts reads those of a list of switches.
func parseScripts(list string) (scripts []script, err error) {
	for one := range strings.SplitSeq(list, ",") {
		head, value, is := strings.Cut(strings.TrimSpace(one), "=")
		if !is {
			continue
		}
		s, err := parseScript(head, value)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", one, err)
		}
		scripts = append(scripts, s)
	}
	return scripts, nil
}

// script is one of them: what it says, and where.
type script struct {
	role  agent.Role
	text  string
	words []string // before the @
	at    []string // after it; none: anywhere
}

// parseScript reads what stands on both sides of the equals sign.
func parseScript(head, value string) (script, error) {
	role, name, scoped := strings.Cut(head, ":")
	if !scoped {
		name = head
	}
	var known []string
	for _, k := range forms {
		known = append(known, k.form)
		if k.name != name {
			continue
		}
		if scoped && role != string(k.role) {
			return script{}, fmt.Errorf("it is for the role %s", k.role)
		}
		s := script{role: k.role, text: name + "=" + value}
		said, at, placed := strings.Cut(value, "@")
		most, between := 3, "/" // words
		if k.role == agent.Scan {
			most, between = 2, "+"
		}
		s.words = strings.SplitN(said, "/", most)
		if placed {
			s.at = strings.Split(at, between)
		}
		if len(s.words) < 2 || s.words[0] == "" || k.role == agent.Scan && s.words[1] == "" || len(s.at) > 2 && k.role == agent.Supervise {
			return script{}, errors.New("it must be " + k.form)
		}
		return s, nil
	}
	return script{}, errors.New("there are " + strings.Join(known, " and "))
}

// conflicts are those that scripts have for the task and the check of the prompt.
func (a *player) conflicts() []conflict {
	list := []conflict{}
	task := ""
	if len(a.tasks) > 0 {
		task = a.tasks[0].id
	}
	for _, s := range a.played([]string{task, after(a.Prompt, checkMark)}) {
		c := conflict{Type: s.words[0], Severity: s.words[1], Resolution: fmt.Sprintf("fix the %s of task %s", s.words[0], task)}
		if len(s.words) > 2 {
			c.Action = s.words[2]
		}
		list = append(list, c)
	}
	return list
}

// findings are those that scripts have.
func (a *player) findings() []finding {
	list := []finding{}
	for _, s := range a.played(nil) {
		list = append(list, finding{s.words[1], s.words[0], append([]string{}, s.at...)})
	}
	return list
}

// played are the scripts for this run: of its role and, where places matter, for
// the place that it is at.
func (a *player) played(here []string) (list []script) {
	listed, done := map[string]int{}, map[string]bool{}
	for _, s := range a.scripts {
		fits := s.role == a.Role
		for i := range min(len(here), len(s.at)) {
			fits = fits && s.at[i] == here[i]
		}
		listed[s.text]++
		if fits && !done[s.text] && a.plays(s, listed[s.text]) {
			done[s.text] = true
			list = append(list, s)
		}
	}
	return list
}

// plays tells whether it is this run that a script is for: the first one, and the
// same again, since the same input gives the same answer. It is remembered in a
// file of its own, so that runs side by side do not both play it.
func (a *player) plays(s script, nth int) bool {
	path := filepath.Join(home(a.World.Dir), ".claude", "state", "demo", demo.SessionOf(s.text, strconv.Itoa(nth)))
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return true // without a memory everything is new
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		by, _ := os.ReadFile(path) // what cannot be read was another's
		return string(by) == a.Session
	}
	defer f.Close()
	_, err = f.WriteString(a.Session)
	return err == nil
}

// home is the main work tree of a repository, where what is remembered outlives
// the work trees of tasks.
func home(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return dir // a folder, or no repository
	}
	git, _, linked := strings.Cut(filepath.ToSlash(strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))), "/.git/worktrees/")
	if !linked || !filepath.IsAbs(filepath.FromSlash(git)) {
		return dir
	}
	return filepath.FromSlash(git)
}
