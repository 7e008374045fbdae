package initcmd

import (
	"bytes"
	"fmt"
	"slices"

	"warp/internal/core/lossless"
)

// register puts the groups into a text and removes everything else of ours. User content keeps
// every byte. Without groups it unregisters, and returns nil if nothing is left.
func register(text []byte, groups []group) ([]byte, error) {
	return editDocument(text, groups != nil, func(text []byte, doc *lossless.Value) (_ []byte, err error) {
		for {
			next := step(text, doc, groups)
			if next == nil {
				return text, nil
			}
			text = next
			if doc, err = lossless.Parse(text); err != nil {
				return nil, err // what was inserted is valid
			}
		}
	})
}

// editDocument edits a JSON document. If wanted, an empty text becomes one first; if not, it
// returns nil once the document is empty.
func editDocument(text []byte, wanted bool, edit func(text []byte, doc *lossless.Value) ([]byte, error)) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		if !wanted {
			return text, nil
		}
		text = []byte("{}\n")
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	out, err := edit(text, doc)
	if err == nil && !wanted && !bytes.Equal(out, text) && bytes.Equal(bytes.TrimSpace(out), []byte("{}")) {
		return nil, nil
	}
	return out, err
}

// step returns the text with one fix, or nil if nothing is left to fix.
func step(text []byte, doc *lossless.Value, groups []group) []byte {
	hooks := doc.Get("hooks")
	if hooks != nil {
		for _, event := range hooks.Members {
			if next := fixEvent(text, doc, hooks, event, groupsOf(groups, event.Key)); next != nil {
				return next
			}
		}
	}
	for _, g := range groups {
		list := lossless.Encode([]*lossless.Value{g.value}, nil)
		if hooks == nil {
			return lossless.AddMember(text, doc, "hooks", lossless.NewObject(lossless.Member{Key: g.event, Value: list}))
		}
		if hooks.Get(g.event) == nil {
			return lossless.AddMember(text, hooks, g.event, list)
		}
	}
	return nil
}

func groupsOf(groups []group, event string) []*lossless.Value {
	var want []*lossless.Value
	for _, g := range groups {
		if g.event == event {
			want = append(want, g.value)
		}
	}
	return want
}

// fixEvent returns the text with one of an event's groups fixed, or nil if it has exactly the
// groups of ours that it should.
func fixEvent(text []byte, doc, hooks *lossless.Value, event lossless.Member, want []*lossless.Value) []byte {
	groups := event.Value.Elems
	fine := make([]bool, len(groups))
	for i, g := range groups {
		mine := ourEntries(g.Get("hooks"))
		at := slices.IndexFunc(want, func(w *lossless.Value) bool { return matchesGroup(g, mine, w) })
		if fine[i] = len(mine) == 0 || at >= 0; at >= 0 {
			want = slices.Delete(slices.Clone(want), at, at+1)
		}
	}
	for i, g := range groups {
		if fine[i] {
			continue
		}
		entries := g.Get("hooks")
		mine := ourEntries(entries)
		switch {
		case len(mine) < len(entries.Elems):
			return lossless.RemoveItem(text, entries, mine[0])
		case len(want) > 0:
			return lossless.ReplaceValue(text, g, want[0])
		}
		return cutGroup(text, doc, hooks, event, i)
	}
	if len(want) > 0 {
		return lossless.Add(text, event.Value, want[0])
	}
	return nil
}

// ourEntries returns the indexes of our entries in a group.
func ourEntries(entries *lossless.Value) []int {
	var mine []int
	if entries == nil {
		return nil
	}
	for i, e := range entries.Elems {
		if runsOurs(e.Get("command").Text()) {
			mine = append(mine, i)
		}
	}
	return mine
}

// matchesGroup reports whether a group equals the wanted one, apart from hooks the user added.
func matchesGroup(g *lossless.Value, mine []int, want *lossless.Value) bool {
	if len(mine) != 1 {
		return false
	}
	entry := g.Get("hooks").Elems[mine[0]]
	return equalValues(g.Without("hooks"), want.Without("hooks")) && equalValues(entry, want.Get("hooks").Elems[0])
}

// equalValues compares values, ignoring the order of members.
func equalValues(a, b *lossless.Value) bool {
	if a == nil || b == nil || a.Kind != lossless.Object || b.Kind != lossless.Object {
		return lossless.Equal(a, b)
	}
	return len(a.Members) == len(b.Members) && !slices.ContainsFunc(a.Members, func(m lossless.Member) bool {
		return b.Get(m.Key) == nil || !equalValues(m.Value, b.Get(m.Key))
	})
}

// cutGroup removes a group and what it leaves empty.
func cutGroup(text []byte, doc, hooks *lossless.Value, event lossless.Member, i int) []byte {
	switch {
	case len(event.Value.Elems) > 1:
		return lossless.RemoveItem(text, event.Value, i)
	case len(hooks.Members) > 1:
		return lossless.RemoveMember(text, hooks, event.Key)
	}
	return lossless.RemoveMember(text, doc, "hooks")
}

// hooksFile plans the registration of a program in the agent's settings, or its removal.
func (p *plan) hooksFile(a agent, program string, wanted bool) {
	p.edit(a.file, func(text []byte) ([]byte, error) {
		warnings, err := inspect(a, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.file, err)
		}
		for _, w := range warnings {
			p.noteOnce(a.file + ": " + w)
		}
		return p.putOurs(a.file, text, wanted, func(text []byte, wanted bool) ([]byte, error) {
			var groups []group
			var box *lossless.Value
			if wanted {
				groups, box = a.render(program), p.box
			}
			out, err := register(text, groups)
			if err == nil && (box != nil || !wanted) {
				out, err = putSandbox(out, box)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.file, err)
			}
			if _, err := inspect(a, out); err != nil {
				return nil, fmt.Errorf("%s would not be accepted: %w", a.file, err)
			}
			return out, nil
		})
	})
}

func inspect(a agent, text []byte) (warnings []string, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	return a.validate(text, doc)
}
