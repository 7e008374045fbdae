package taskdoc

import (
	"errors"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"

	"warp/internal/core/text"
)

// setting is a key: value line of a section.
type setting struct {
	section section
	names   []string // the first is preferred
	take    func(*Document, string) error
}

func settings() []setting {
	return []setting{
		{bounds, []string{"max_iterations_per_task", "max_iterations", "iterations", "iterations_per_task"}, set(parseIterations, func(d *Document) *int { return &d.Bounds.Iterations })},
		{bounds, []string{"max_cost", "cost", "cost_limit", "budget"}, set(parseCost, func(d *Document) *int64 { return &d.Bounds.MicroUSD })},
		{bounds, []string{"max_time", "time", "time_limit", "max_duration"}, set(parseTime, func(d *Document) *time.Duration { return &d.Bounds.Time })},
		{supervisor, []string{"enabled"}, set(parseYes, func(d *Document) *bool { return &d.Supervisor.Enabled })},
		{supervisor, []string{"checks"}, func(d *Document, s string) error { return d.Supervisor.checks(s) }},
		{supervisor, []string{"max_re_plans", "max_replans"}, set(parseIterations, func(d *Document) *int { return &d.Supervisor.MaxRePlans })},
		{outer, []string{"enabled"}, set(parseYes, func(d *Document) *bool { return &d.OuterLoop.Enabled })},
		{outer, []string{"max_iterations", "iterations"}, set(parseIterations, func(d *Document) *int { return &d.OuterLoop.Iterations })},
	}
}

// set returns a function that parses a value and stores it in the document.
func set[T any](parse func(string) (T, error), where func(*Document) *T) func(*Document, string) error {
	return func(d *Document, s string) (err error) {
		*where(d), err = parse(s)
		return err
	}
}

func parseYes(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "yes", "true", "on":
		return true, nil
	case "no", "false", "off":
		return false, nil
	}
	return false, errors.New("it must be yes or no")
}

func (s *Supervisor) checks(value string) error {
	s.PreTask, s.PostTask, s.OnDemand = false, false, false
	list := tokens(value, 0)
	for _, t := range list {
		switch words(t.text) {
		case "pre task", "pre":
			s.PreTask = true
		case "post task", "post":
			s.PostTask = true
		case "on demand":
			s.OnDemand = true
		default:
			list = nil
		}
	}
	if len(list) == 0 {
		return errors.New("it must list any of pre_task, post_task, on_demand; enabled: no switches all off")
	}
	return nil
}

// settingReader reads sections of settings: lines or items of the form key: value.
type settingReader struct {
	*page
	doc  *Document
	seen map[string]bool
}

func (r settingReader) readBlock(of section, n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		for at, line := range r.linesOf(n) {
			r.readLine(of, line, at)
		}
	case *ast.List, *ast.ListItem:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			r.readBlock(of, c)
		}
	case *ast.Heading:
	default:
		r.defect(n.Pos(), noSetting)
	}
}

const noSetting = "settings are lines such as - max_cost: $10; this is not one"

func (r settingReader) readLine(of section, line string, at int) {
	name, value, _, ok := labelled(line)
	if !ok {
		r.defect(at, noSetting)
		return
	}
	var keys, known []string // of this section
	for _, s := range settings() {
		if s.section != of {
			continue
		}
		keys = append(keys, s.names[0])
		for _, n := range s.names {
			if words(n) == name {
				r.take(s, strings.Trim(value, "`*_ \t"), at)
				return
			}
			known = append(known, words(n))
		}
	}
	advice := "there are " + strings.Join(keys, ", ")
	if meant := text.Nearest(name, known); meant != "" {
		advice = "did you mean " + strings.ReplaceAll(meant, " ", "_") + "?"
	}
	r.defect(at, "there is no setting %q here; %s", strings.ReplaceAll(name, " ", "_"), advice)
}

func (r settingReader) take(s setting, value string, at int) {
	key := s.names[0]
	once := titles()[s.section][0] + "." + key
	if r.seen[once] {
		r.defect(at, "%s is set twice", key)
	}
	r.seen[once] = true
	if err := s.take(r.doc, value); err != nil {
		r.defect(at, "%s: %q is not accepted: %v", key, value, err)
	}
}
