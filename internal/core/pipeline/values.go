package pipeline

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/text"
)

// The readers of values report what is wrong and return nothing then.

// prose reads a text of any length. Numbers are texts too where texts are wanted.
func (r *reader) prose(n *node, what string) string {
	switch {
	case n.kind != textKind && n.kind != number:
		r.say(n.place, "%s must be a text, not %s", what, n.kind)
	case strings.TrimSpace(n.text) == "":
		r.say(n.place, "%s is empty", what)
	default:
		return n.text
	}
	return ""
}

func (r *reader) trimmed(n *node, what string) string {
	return strings.TrimSpace(r.prose(n, what))
}

// line reads a text of one line.
func (r *reader) line(n *node, what string) string {
	s := r.trimmed(n, what)
	if strings.Contains(s, "\n") {
		r.say(n.place, "%s must be one line", what)
		return ""
	}
	return text.OneLine(s)
}

// lines reads one or several.
func (r *reader) lines(n *node, what string) (all []string) {
	for _, i := range n.elements() {
		all = append(all, r.line(i, what))
	}
	return all
}

// references reads one name or several, with their places.
func (r *reader) references(n *node, what string) (all []reference) {
	for _, i := range n.elements() {
		all = append(all, reference{r.line(i, what), i.place})
	}
	return all
}

func (r *reader) name(n *node, what string) string {
	s := r.line(n, what)
	if s != "" && !text.ValidName(s) {
		r.say(n.place, "%s %q is not a valid name: %s", what, s, text.NameRule)
	}
	return s
}

// count reads a whole number of at least 1.
func (r *reader) count(n *node, what string) int {
	i, err := strconv.Atoi(n.text)
	if n.kind > number || err != nil || i < 1 || i > 1_000_000 {
		r.say(n.place, "%s must be a whole number from 1 to 1000000, not %s", what, n.quoted())
		return 0
	}
	return i
}

func (r *reader) truth(n *node, what string) bool {
	if n.kind != truth && n.text != "true" && n.text != "false" {
		r.say(n.place, "%s must be true or false, not %s", what, n.quoted())
	}
	return n.text == "true"
}

func (r *reader) seconds(n *node, what string) time.Duration {
	return time.Duration(r.count(n, what)) * time.Second
}

// duration reads a time such as 90s, 5m or 1h30m, or a number of seconds.
func (r *reader) duration(n *node, what string) time.Duration {
	s := n.text
	if n.kind == number || strings.Trim(s, "0123456789") == "" {
		s += "s"
	}
	d, err := budget.ParseTime(s)
	if n.kind > number || err != nil {
		r.say(n.place, "%s must be a time such as 90s, 5m or 1h30m, not %s", what, n.quoted())
	}
	return d
}

// span is a duration of more than zero.
func (r *reader) span(n *node, what string) time.Duration {
	before := len(r.problems)
	d := r.duration(n, what)
	if d == 0 && len(r.problems) == before {
		r.say(n.place, "%s must be more than zero", what)
	}
	return d
}

// dollars reads 2, 2.50 or $2.50 as micro-dollars.
func (r *reader) dollars(n *node, what string) int64 {
	micro, err := budget.ParseDollars(n.text)
	if n.kind > number || err != nil || micro == 0 {
		r.say(n.place, "%s must be an amount of dollars such as 2.50, not %s", what, n.quoted())
	}
	return micro
}

func (r *reader) commandLines(n *node, what string) (all []Command) {
	if n.kind != mapping {
		r.say(n.place, "%s must be a mapping of names to command lines, not %s", what, n.kind)
	}
	for _, e := range n.entries {
		all = append(all, r.command(e.key, e.at, e.value))
	}
	return all
}

func (r *reader) command(called string, at place, n *node) Command {
	if !text.ValidName(called) {
		r.say(at, "%q is not a valid name of a command: %s", called, text.NameRule)
	}
	return Command{called, r.trimmed(n, "a command")}
}

// outputPath reads a path that agents may write. It is a template, so it is checked
// again when its variables are known.
func (r *reader) outputPath(n *node, what string) string {
	p := path.Clean(r.line(n, what))
	first, _, _ := strings.Cut(p, "/")
	if slices.Contains([]string{"", ".", "..", ".git", ".claude"}, first) {
		r.say(n.place, "%s must be a path within the project, and not in .git or .claude", what)
	}
	return p
}

func (r *reader) stages(n *node, what string) []Stage {
	return r.stageList(n, what, "a stage", nil)
}

// branchStages reads the stages that each branch of a parallel block does. A text is the
// name of a stage folder.
func (r *reader) branchStages(n *node, what string) []Stage {
	return r.stageList(n, what, "a stage of a parallel block", notInBranches)
}

func (r *reader) stageList(n *node, what, each string, without []string) (all []Stage) {
	if n.kind != list || len(n.items) == 0 {
		r.say(n.place, "%s must be a list of at least one stage", what)
		return nil
	}
	for _, i := range n.items {
		if i.kind == textKind && without != nil {
			i = &node{place: i.place, kind: mapping, entries: []entry{{"stage", i.place, i}}}
		}
		s := Stage{at: places{}, inBranch: without != nil}
		if r.fill(i, each, withoutKeys(s.fields(), without), s.at) {
			r.checkSource(&s)
		}
		all = append(all, s)
	}
	return all
}

// checkSource checks that a stage has one thing to do, and an id.
func (r *reader) checkSource(s *Stage) {
	loop, folder, prompt := s.at.has("loop"), s.at.has("stage"), s.at.has("prompt")
	if loop && folder {
		r.say(s.at["stage"], "the stage has both a loop and a stage folder; give one of them")
	}
	switch loop = loop || folder; {
	case s.isChain() && (loop || prompt):
		r.say(s.at.first("prompt", "loop", "stage"), "the stage has a loop or a prompt, and its parallel block has stages; give one of them")
	case s.isChain():
	case !loop && !prompt:
		r.say(s.at[""], "the stage has neither a loop nor a prompt")
	case loop && prompt:
		r.say(s.at["prompt"], "the stage has both a loop and a prompt; give one of them")
	}
	switch {
	case s.at.has("id"):
	case loop && text.ValidName(s.Loop) && !isLoopFile(s.Loop):
		s.ID, s.at["id"] = s.Loop, s.at.first("loop", "stage")
	default:
		r.say(s.at[""], "the stage has no id")
	}
}
