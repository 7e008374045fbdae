package leak

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/leakscan"
	"warp/internal/durable"
	"warp/internal/engine/trust"
)

const (
	ledgerFile    = "secrets.json"
	ledgerVersion = 1
	maxPending    = 500 // undecided entries
)

// Entry is a refused hit, and whether a person has allowed it.
type Entry struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Hash    string `json:"hash"`
	Project string `json:"project"`
	Seen    string `json:"seen"`
	Allowed string `json:"allowed,omitempty"` // when; "": it is refused
}

// Hit returns the secret that was refused, with its place.
func (e Entry) Hit() leakscan.Hit {
	return leakscan.Hit{File: e.File, Line: e.Line, Rule: e.Rule, Hash: e.Hash}
}

type document struct {
	Version int     `json:"version"`
	Entries []Entry `json:"entries"`
}

// Ledger records which hits a person has allowed, in the user's state folder.
type Ledger struct {
	doc *durable.Doc[document]
	now func() time.Time
	err error
}

// OpenLedger returns the user's ledger. It reads nothing yet; without a folder for it, nothing is
// allowed.
func OpenLedger(getenv func(string) string, now func() time.Time, pid int) *Ledger {
	dir, err := trust.Folder(getenv)
	if err != nil {
		return &Ledger{err: err}
	}
	store := durable.New(durable.Config{Dir: dir, Now: now, PID: pid})
	return &Ledger{now: now, doc: durable.Open(store, ledgerFile, durable.Kind[document]{Name: "secrets", Version: ledgerVersion})}
}

// Entries returns the hits refused in a project, or all of them for "".
func (l *Ledger) Entries(project string) ([]Entry, error) {
	if l.err != nil {
		return nil, l.err
	}
	v, err := l.doc.Read()
	if durable.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(v.Doc.Entries), func(e Entry) bool { return project != "" && e.Project != project }), nil
}

// recordRefused returns the hits that no person has allowed. It records them so that a person can;
// a hit that cannot be recorded is still refused.
func (l *Ledger) recordRefused(project string, hits []leakscan.Hit) ([]leakscan.Hit, error) {
	if len(hits) == 0 || l == nil || l.err != nil {
		return hits, nil
	}
	entries, err := l.Entries(project)
	if err != nil {
		return hits, nil
	}
	var refused, unknown []leakscan.Hit
	for _, h := range hits {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Hash == h.Hash })
		if i >= 0 && entries[i].Allowed != "" {
			continue
		}
		refused = append(refused, h)
		if i < 0 {
			unknown = append(unknown, h)
		}
	}
	if len(unknown) > 0 {
		err = l.update("refused", func(d *document) error {
			for _, h := range unknown {
				d.Entries = append(d.Entries, Entry{File: h.File, Line: h.Line, Rule: h.Rule, Hash: h.Hash, Project: project, Seen: l.stamp()})
			}
			for n := len(d.Entries) - maxPending; n > 0; n-- {
				i := slices.IndexFunc(d.Entries, func(e Entry) bool { return e.Allowed == "" })
				if i < 0 {
					break
				}
				d.Entries = slices.Delete(d.Entries, i, i+1)
			}
			return nil
		})
	}
	return refused, err
}

// Allow allows the hits whose ID starts with id, and returns them.
func (l *Ledger) Allow(project, id string) ([]Entry, error) { return l.setAllowed(project, id, true) }

// Forbid revokes Allow.
func (l *Ledger) Forbid(project, id string) ([]Entry, error) { return l.setAllowed(project, id, false) }

const minID = 6

func (l *Ledger) setAllowed(project, id string, allow bool) (found []Entry, err error) {
	if len(id) < minID || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("%q is not the ID of a secret: warp secrets lists them", id)
	}
	err = l.update("decided", func(d *document) error {
		found = nil
		for i, e := range d.Entries {
			if e.Project != project || !strings.HasPrefix(e.Hash, id) {
				continue
			}
			d.Entries[i].Allowed = ""
			if allow {
				d.Entries[i].Allowed = l.stamp()
			}
			found = append(found, d.Entries[i])
		}
		if len(found) == 0 {
			return fmt.Errorf("no secret %s was refused in this project: warp secrets lists them", id)
		}
		return nil
	})
	return found, err
}

func (l *Ledger) stamp() string { return l.now().UTC().Format(time.RFC3339) }

func (l *Ledger) update(what string, fn func(*document) error) error {
	if l.err != nil {
		return l.err
	}
	var refused error
	_, err := l.doc.Update(func(tx *durable.Tx[document]) error {
		if tx.Doc == nil {
			tx.Doc = &document{Version: ledgerVersion}
		}
		if refused = fn(tx.Doc); refused != nil {
			return refused
		}
		tx.Log(what, nil)
		return nil
	})
	if refused != nil && errors.Is(err, refused) {
		return refused
	}
	if err != nil {
		return fmt.Errorf("keeping which secrets are allowed: %w", err)
	}
	return nil
}
