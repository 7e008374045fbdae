package taskdoc

import (
	"errors"
	"strings"

	"github.com/yuin/goldmark/ast"

	"warp/internal/core/text"
)

// setting is a key: value line of a section.
type setting struct {
	section section
	names   []string // the first is the one to use
	take    func(*Document, string) error
}

// settings are all that there are.
func settings() []setting {
	return []setting{
		{bounds, []string{"max_iterations_per_task", "max_iterations", "iterations", "iterations_per_task"}, func(d *Document, s string) (err error) {
			d.Bounds.Iterations, err = parseIterations(s)
			return err
		}},
		{bounds, []string{"max_cost", "cost", "cost_limit", "budget"}, func(d *Document, s string) (err error) {
			d.Bounds.MicroUSD, err = ParseCost(s)
			return err
		}},
		{bounds, []string{"max_time", "time", "time_limit", "max_duration"}, func(d *Document, s string) (err error) {
			d.Bounds.Time, err = ParseTime(s)
			return err
		}},
		{supervisor, []string{"enabled"}, func(d *Document, s string) error { return yes(&d.Supervisor.Enabled, s) }},
		{supervisor, []string{"checks"}, func(d *Document, s string) error { return d.Supervisor.checks(s) }},
		{supervisor, []string{"max_re_plans", "max_replans"}, func(d *Document, s string) (err error) {
			d.Supervisor.MaxRePlans, err = parseIterations(s)
			return err
		}},
		{outer, []string{"enabled"}, func(d *Document, s string) error { return yes(&d.OuterLoop.Enabled, s) }},
		{outer, []string{"max_iterations", "iterations"}, func(d *Document, s string) (err error) {
			d.OuterLoop.Iterations, err = parseIterations(s)
			return err
		}},
	}
}

func yes(to *bool, s string) error {
	switch strings.ToLower(s) {
	case "yes", "true", "on":
		*to = true
	case "no", "false", "off":
		*to = false
	default:
		return errors.New("it must be yes or no")
	}
	return nil
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
		return errors.New("it must be some of pre_task, post_task, on_demand; enabled: no switches all off")
	}
	return nil
}

// settings reads a block of a section of settings: lines or items key: value.
func (r *reader) settings(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		for i := range n.Lines().Len() {
			s := n.Lines().At(i)
			r.setting(string(s.Value(r.source)), s.Start)
		}
	case *ast.List, *ast.ListItem:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			r.settings(c)
		}
	case *ast.Heading:
	default:
		r.defect(n.Pos(), "settings are lines such as - max_cost: $10; this is none")
	}
}

func (r *reader) setting(line string, at int) {
	name, value, _, ok := labelled(line)
	value = strings.Trim(value, "`*_ \t")
	if !ok {
		r.defect(at, "settings are lines such as - max_cost: $10; this is none")
		return
	}
	var known []string
	for _, s := range settings() {
		if s.section != r.section {
			continue
		}
		for _, n := range s.names {
			if words(n) == name {
				r.take(s, value, at)
				return
			}
			known = append(known, words(n))
		}
	}
	key := strings.ReplaceAll(name, " ", "_")
	if meant := text.Nearest(name, known); meant != "" {
		r.defect(at, "there is no setting %q here; did you mean %s?", key, strings.ReplaceAll(meant, " ", "_"))
		return
	}
	r.defect(at, "there is no setting %q here; there are %s", key, strings.Join(r.keys(), ", "))
}

// keys are the names of this section's settings.
func (r *reader) keys() []string {
	var all []string
	for _, s := range settings() {
		if s.section == r.section {
			all = append(all, s.names[0])
		}
	}
	return all
}

func (r *reader) take(s setting, value string, at int) {
	key := s.names[0]
	if once := titles()[s.section][0] + "." + key; r.set[once] {
		r.defect(at, "%s is set twice", key)
	} else {
		r.set[once] = true
	}
	if err := s.take(r.doc, value); err != nil {
		r.defect(at, "%s: %q is not accepted: %v", key, value, err)
	}
}
