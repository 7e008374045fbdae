// Package redfirst is the protocol by which tests that somebody else wrote prove criteria. Before the
// work, the role check writes for each criterion a contract, which everybody sees, and a check,
// which the coder does not: files of its own and a command that runs them alone.
//
// It is pure: it knows what a checker may answer and leave behind, and what the runs of a check say.
// internal/engine/prove runs them.
package redfirst

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is how a criterion can be proven.
type Kind string

const (
	New    Kind = "new"    // behaviour that is not there yet
	Keeps  Kind = "keeps"  // behaviour that must stay
	Shape  Kind = "shape"  // a name, file, text or dependency that must (not) be there
	Read   Kind = "read"   // only a reader can tell
	Cannot Kind = "cannot" // it needs a service, hardware or a person
)

// kinds are all kinds.
var kinds = []Kind{New, Keeps, Shape, Read, Cannot}

// Limits of an answer, in characters of a contract and bytes of files.
const (
	MaxContract = 400
	maxWhy      = 300
	maxFile     = 32 << 10
	maxFiles    = 20
)

// File is a file of a check or a stub.
type File struct {
	Path    string `json:"path"` // relative to the top of the checkout
	Content string `json:"content"`
	Run     bool   `json:"executable,omitempty"`
}

// Criterion is what the checker says of a criterion, and its check.
type Criterion struct {
	ID       string `json:"id"`
	Kinds    []Kind `json:"kinds"`
	Contract string `json:"contract,omitempty"`
	// Decided is what the contract decides beyond the issue's words.
	Decided string `json:"decided,omitempty"`
	Command string `json:"command,omitempty"`
	KeepAs  string `json:"keep_as,omitempty"`
	Why     string `json:"why,omitempty"` // why it cannot be checked, or is checked this way
	Files   []File `json:"files,omitempty"`
	// Lost is why its check does not count, so that a reader judges the criterion; "": it counts.
	Lost string `json:"lost,omitempty"`
	// Already means that its check passed on the code as it was.
	Already bool `json:"already,omitempty"`
	// Again means that its check was written again.
	Again bool `json:"again,omitempty"`
	// Edited means that a person wrote the contract, and that its check is not written yet. Theirs
	// means that a person wrote it.
	Edited bool `json:"edited,omitempty"`
	Theirs bool `json:"theirs,omitempty"`
}

// Is reports whether the criterion is of a kind.
func (c Criterion) Is(k Kind) bool { return slices.Contains(c.Kinds, k) }

// Runs reports whether the criterion has a check that counts.
func (c Criterion) Runs() bool {
	return c.Lost == "" && c.Command != "" && len(c.Files) > 0 && (c.Is(New) || c.Is(Keeps) || c.Is(Shape))
}

// NeedsStub reports whether its check is proven red on a stub, not on the base.
func (c Criterion) NeedsStub() bool { return c.Is(New) }

// Set is what a checker wrote for one requirement.
type Set struct {
	Issue string `json:"issue"`
	Key   string `json:"key"`   // of the criteria that it was written for
	Token string `json:"token"` // in the names of its files
	Agent string `json:"agent,omitempty"`
	// Seen means that nothing kept the coder from reading the checks.
	Seen     bool        `json:"seen,omitempty"`
	Frozen   bool        `json:"frozen,omitempty"` // coding has begun
	Criteria []Criterion `json:"criteria"`
	Stub     []File      `json:"stub,omitempty"`
}

// Of returns the entry of a criterion, or nil.
func (s *Set) Of(id string) *Criterion {
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.Criteria, func(c Criterion) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Criteria[i]
}

// Name returns what every path of a criterion's check contains. It comes from warp, since coder and
// checker reach for the same names.
func (s *Set) Name(id string) string {
	return "warp_" + s.Token + "_" + strings.ToLower(strings.ReplaceAll(id, "-", ""))
}

// Contracts returns the contracts of criteria, a line each, as everybody sees them.
func (s *Set) Contracts(ids []string) (list []string) {
	if s == nil {
		return nil
	}
	for _, c := range s.Criteria {
		if slices.Contains(ids, c.ID) && c.Contract != "" {
			list = append(list, c.ID+": "+c.Contract)
		}
	}
	return list
}

// Take reads a checker's answer and what it left in its checkout: files with a criterion's name in
// their path are its check, the others the stub. problems says, by criterion, what is missing or
// against the rules. Criteria that the answer leaves out are read.
func (s *Set) Take(answer []byte, left []File, ids []string) (problems map[string]string, err error) {
	var said struct {
		Criteria []struct {
			Criterion
			Kind []Kind `json:"kind"`
		} `json:"criteria"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	problems = map[string]string{}
	files := map[string][]File{}
	s.Stub = nil
	for _, f := range left {
		i := slices.IndexFunc(ids, func(id string) bool { return strings.Contains(f.Path, s.Name(id)) })
		switch {
		case i >= 0:
			files[ids[i]] = append(files[ids[i]], f)
		case !strings.Contains(f.Path, "warp_"+s.Token):
			s.Stub = append(s.Stub, f)
		}
	}
	for _, id := range ids {
		c := Criterion{ID: id, Kinds: []Kind{Read}, Why: "the checker says nothing of it"}
		for _, one := range said.Criteria {
			if one.ID == id {
				c = one.Criterion
				c.Kinds, c.Files, c.Lost = one.Kind, files[id], ""
			}
		}
		if why := c.tidy(); why != "" {
			problems[id] = why
		}
		if was := s.Of(id); was != nil {
			if c.Again = was.Again; was.Theirs {
				c.Contract, c.Decided, c.Theirs = was.Contract, "", true
			}
			*was = c
		} else {
			s.Criteria = append(s.Criteria, c)
		}
	}
	return problems, nil
}

// Edit changes a contract, as a person says. Its check has to be written again.
func (s *Set) Edit(id, contract string) error {
	contract = strings.TrimSpace(contract)
	switch c := s.Of(id); {
	case c == nil:
		return fmt.Errorf("there is no contract for %s", id)
	case s.Frozen:
		return fmt.Errorf("the contracts of #%s are frozen, since coding has begun: change the issue instead", s.Issue)
	case contract == "" || utf8.RuneCountInString(contract) > MaxContract:
		return fmt.Errorf("a contract has between 1 and %d characters, not %d", MaxContract, utf8.RuneCountInString(contract))
	default:
		c.Contract, c.Decided, c.Why, c.Lost, c.Edited, c.Theirs = contract, "", "", "", true, true
		c.Files, c.Command, c.Again = nil, "", false
	}
	return nil
}

// Edited returns the criteria whose checks have to be written for a person's contract.
func (s *Set) Edited() (ids []string) {
	for _, c := range s.Criteria {
		if c.Edited {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// tidy bounds what a checker says, and returns what is wrong with it.
func (c *Criterion) tidy() (problem string) {
	c.Kinds = slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return !c.Is(k) })
	if c.KeepAs = path.Clean(strings.TrimSpace(c.KeepAs)); !isInside(c.KeepAs) || len(c.Files) != 1 {
		c.KeepAs = ""
	}
	c.Contract, c.Command = strings.TrimSpace(c.Contract), strings.TrimSpace(c.Command)
	c.Why, c.Decided = clip(c.Why, maxWhy), clip(c.Decided, MaxContract)
	if len(c.Kinds) == 0 {
		c.Kinds = []Kind{Read}
	}
	if !c.Is(New) && !c.Is(Keeps) && !c.Is(Shape) {
		c.Files, c.Command = nil, ""
		return ""
	}
	size := 0
	for _, f := range c.Files {
		size += len(f.Content)
	}
	switch {
	case c.Contract == "":
		return "it has no contract"
	case utf8.RuneCountInString(c.Contract) > MaxContract:
		return fmt.Sprintf("its contract has %d characters, and may have %d", utf8.RuneCountInString(c.Contract), MaxContract)
	case len(c.Files) == 0:
		return "no file of the checkout has its name"
	case len(c.Files) > maxFiles || size > maxFile:
		return fmt.Sprintf("its check has %d files of %d bytes; it may have %d of %d", len(c.Files), size, maxFiles, maxFile)
	case c.Command == "":
		return "it has no command"
	}
	return ""
}

// isInside reports whether a path is one of a file in the project.
func isInside(name string) bool {
	return name != "." && !path.IsAbs(name) && !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part == ".." || strings.EqualFold(part, ".git") || strings.EqualFold(part, ".claude")
	})
}

func clip(words string, most int) string {
	words = strings.Join(strings.Fields(words), " ")
	if utf8.RuneCountInString(words) > most {
		words = string([]rune(words)[:most-1]) + "…"
	}
	return words
}
