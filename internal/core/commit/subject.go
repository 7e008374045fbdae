package commit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// Style is how the subjects of a project's commits read.
type Style struct {
	Plain        bool     // most are not conventional
	unscoped     bool     // no conventional one has a scope
	upper, lower bool     // how most descriptions begin
	taken        []string // the subjects it was read from
}

// How many subjects show a style, and how descriptions begin. With fewer, subjects are
// conventional, and keep their letters.
const (
	leastSubjects = 3
	leastLetters  = 5
)

// StyleOf returns the style of a project's newest subjects.
func StyleOf(subjects []string) (s Style) {
	all, conventional, upper, lower, scoped := 0, 0, 0, 0, 0
	for _, subject := range subjects {
		if strings.HasPrefix(subject, "Merge ") || strings.HasPrefix(subject, "Revert \"") || subject == "" {
			continue
		}
		all++
		h, rest := split(subject)
		if h.kind != "" {
			conventional++
		}
		if h.scope != "" {
			scoped++
		}
		switch r, _ := utf8.DecodeRuneInString(rest); {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	s.taken = subjects
	if all < leastSubjects {
		return s
	}
	s.Plain, s.unscoped = 2*conventional < all, conventional > 0 && scoped == 0
	s.upper, s.lower = all >= leastLetters && 2*upper > all, all >= leastLetters && 2*lower > all
	return s
}

// head is the beginning of a conventional subject, without its description.
type head struct{ kind, scope, breaks string }

func (h head) String() string {
	if h.scope != "" {
		h.scope = "(" + h.scope + ")"
	}
	return h.kind + h.scope + h.breaks + ": "
}

// split splits a conventional subject; the head of any other is empty.
func split(subject string) (h head, description string) {
	begins, rest, found := strings.Cut(subject, ": ")
	kind, scope, _ := strings.Cut(strings.TrimSuffix(begins, "!"), "(")
	kind = strings.ToLower(kind)
	if !found || Check(kind+begins[min(len(kind), len(begins)):]+": x") != "" || strings.HasPrefix(begins, "Merge ") {
		return head{}, subject
	}
	h = head{kind: kind, scope: strings.TrimSuffix(scope, ")")}
	if strings.HasSuffix(begins, "!") {
		h.breaks = "!"
	}
	return h, strings.TrimSpace(rest)
}

// Work is what a commit's subject is made from.
type Work struct {
	Said  []string // the agent's own proposals, best first
	Title string   // of the issue or task, if no proposal can be used
	Kind  string   // of a conventional subject; "": by the words
	Issue string   // the number behind the subject; "": none
	Part  string   // tells commits with the same title apart: "part 2 of 3"; "": there is only one
	Again string   // what is counted if a recent commit has the title: "pass"; "": tries
}

// Limits of a subject, in characters. Only a title is ever shortened, at a word.
const (
	maxProposal = 60
	maxTitle    = 100
)

// Subject returns a commit's subject, which no recent commit has: the first proposal that has the
// form, in the project's style, or the title.
func (s Style) Subject(w Work) string {
	for _, said := range w.Said {
		said = strings.TrimSpace(said)
		if w.Issue != "" {
			said = strings.TrimSpace(strings.TrimSuffix(said, "(#"+w.Issue+")"))
		}
		if formOf(said) != "" {
			continue
		}
		if subject := s.adapt(Clean(said), w.Kind) + suffix(w.Issue, ""); !slices.Contains(s.taken, subject) {
			return subject
		}
	}
	title := strings.TrimRight(Clean(w.Title), ". ")
	if title == "" {
		title = "Update"
	}
	title = s.adapt(shorten(title, maxTitle), w.Kind)
	subject := title + suffix(w.Issue, w.Part)
	for n := 2; slices.Contains(s.taken, subject); n++ { // by an earlier drive
		subject = title + suffix(w.Issue, strings.TrimPrefix(fmt.Sprintf("%s, %s %d", w.Part, cmp.Or(w.Again, "try"), n), ", "))
	}
	return subject
}

func suffix(issue, part string) string {
	switch {
	case issue == "" && part == "":
		return ""
	case issue == "":
		return " (" + part + ")"
	case part == "":
		return " (#" + issue + ")"
	}
	return " (#" + issue + ", " + part + ")"
}

// numbered matches what trackers turn into a link to an issue.
var numbered = lazy.Pattern{Text: `(?i)[#!]\d|\bGH-\d|://`}

// formOf returns why a proposal cannot be a subject; "" if it can.
func formOf(said string) string {
	h, description := split(said)
	switch {
	case said == "":
		return "it is empty"
	case strings.ContainsAny(said, "\r\n"):
		return "it has several lines"
	case text.Visible(said) != said || strings.ContainsRune(said, '\t'):
		return "it has control characters"
	case utf8.RuneCountInString(said) > maxProposal:
		return "it is longer than 60 characters"
	case strings.HasSuffix(said, ".") || strings.HasSuffix(said, "。"):
		return "it ends with a period"
	case numbered.Get().MatchString(said):
		return "it names an issue"
	case h.kind == "wip" || hasPrefixFold(said, "merge ", "revert \"", "fixup!", "squash!", "amend!", "wip"):
		return "it begins like a commit of another kind"
	case len(strings.Fields(description)) < 2 && utf8.RuneCountInString(description) < 12:
		return "one word does not describe a change"
	}
	return ""
}

func hasPrefixFold(s string, prefixes ...string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// adapt gives a subject the project's style.
func (s Style) adapt(subject, kind string) string {
	h, description := split(subject)
	description = s.adaptCase(description)
	switch {
	case s.Plain:
		return description
	case h.kind == "":
		h.kind = kind
		if kind == "" {
			h.kind = kindOf(description)
		}
	case s.unscoped:
		h.scope = ""
	}
	return h.String() + description
}

// adaptCase changes the first letter to what is usual in the project, unless the first word is a
// name.
func (s Style) adaptCase(words string) string {
	first, _, _ := strings.Cut(words, " ")
	r, n := utf8.DecodeRuneInString(first)
	if strings.ToLower(first[n:]) != first[n:] || strings.ContainsAny(first, "`'\"._-/()0123456789") {
		return words
	}
	switch {
	case s.upper:
		return string(unicode.ToUpper(r)) + words[n:]
	case s.lower:
		return string(unicode.ToLower(r)) + words[n:]
	}
	return words
}

// verbs are first words that tell the kind of a change.
var verbs = lazy.Table[string, string]{
	{"fix", "fix"}, {"fixes", "fix"}, {"repair", "fix"}, {"correct", "fix"}, {"document", "docs"}, {"test", "test"},
	{"refactor", "refactor"}, {"rename", "refactor"}, {"simplify", "refactor"}, {"revert", "revert"},
}

func kindOf(words string) string {
	first, _, _ := strings.Cut(words, " ")
	return cmp.Or(verbs.Get(strings.ToLower(first)), "feat")
}

// shorten ends a text at a word.
func shorten(words string, most int) string {
	if utf8.RuneCountInString(words) <= most {
		return words
	}
	first, _ := text.FirstRunes(words, most)
	if i := strings.LastIndexByte(first, ' '); i > 0 {
		first = first[:i]
	}
	return strings.TrimRight(first, " ,;:-") + "…"
}
