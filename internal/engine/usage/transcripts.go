// Package usage determines what agents have used. It reads Claude Code's transcripts, each byte
// once, and the journals of headless drives, which cover the same sessions; it keeps the ledger of
// tokens, which outlives both. core/tokens knows what tokens mean and cost.
package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/core/tokens"
	"warp/internal/durable"
)

// Ledger knows where things are kept.
type Ledger struct {
	Home   string // ~/.claude, which contains the ledger
	Config string // Claude Code's folder, CLAUDE_CONFIG_DIR; "": Home
	Cache  string // for indexes of transcripts
	Prices tokens.PriceTable
	Now    func() time.Time
	FS     durable.FS // nil: the operating system's

	reading  sync.Mutex
	journals map[string]*journal // of work trees, as far as they were read
}

// Slug returns the name of the folder in which Claude Code keeps the transcripts of sessions
// started in a folder; for a very long path, only its beginning.
func Slug(root string) string {
	var b strings.Builder
	for _, c := range root {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			b.WriteRune(c)
		case c > 0xffff: // counts as two characters in JavaScript
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// slugLength is where Claude Code cuts a name and appends a hash.
const slugLength = 200

func (l *Ledger) projects() string { return filepath.Join(cmp.Or(l.Config, l.Home), "projects") }

// folders returns the folders with a project's transcripts; "" returns all.
func (l *Ledger) folders(root string) ([]string, error) {
	if real, err := filepath.EvalSymlinks(root); err == nil && root != "" {
		root = real // as the agent sees it
	}
	slug := Slug(root)
	if root != "" && len(slug) <= slugLength {
		return []string{slug}, nil
	}
	entries, err := os.ReadDir(l.projects())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for transcripts: %w", err)
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && (root == "" || strings.HasPrefix(e.Name(), slug[:slugLength]+"-")) {
			list = append(list, e.Name())
		}
	}
	return list, nil
}

// Read updates the index of a folder of transcripts. An interrupted reading keeps what it has.
func (l *Ledger) Read(ctx context.Context, slug string) (*Index, Stats, error) {
	folder := filepath.Join(l.projects(), slug)
	cache := filepath.Join(l.Cache, fmt.Sprintf("%s-%016x.idx", slug[max(0, len(slug)-40):], sum(folder)))
	s := &scanner{index: loadIndex(cache)}
	list, err := transcripts(folder)
	if err != nil {
		return nil, Stats{}, fmt.Errorf("looking for transcripts in %q: %w", folder, err)
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(a.mod.Compare(b.mod), cmp.Compare(a.path, b.path)) })
	for _, e := range list {
		if err = ctx.Err(); err == nil {
			err = s.file(filepath.Join(folder, e.path), e.path, e.size)
		}
		if err != nil {
			break
		}
	}
	if s.stats.Files > 0 && l.Cache != "" {
		s.stats.Unsaved = s.index.save(cache)
	}
	return s.index, s.stats, err
}

func sum(text string) uint64 { return fingerprint(strings.NewReader(text), int64(len(text))) }

// messages returns the entries of all transcripts of some folders, each once.
func (l *Ledger) messages(ctx context.Context, project string, slugs []string, seen map[uint64]bool) ([]tokens.Entry, error) {
	var list []tokens.Entry
	for _, slug := range slugs {
		x, _, err := l.Read(ctx, slug)
		if err != nil {
			return nil, err
		}
		list = slices.Grow(list, len(x.messages))
		x.Messages(func(m tokens.Message) {
			if !seen[m.Key] {
				seen[m.Key] = true
				list = append(list, tokens.Entry{At: time.UnixMilli(m.At), Project: cmp.Or(project, slug), Session: m.Session, Model: m.Model, Source: tokens.Transcript, Tokens: m.Tokens})
			}
		})
	}
	return list, nil
}

// transcripts lists the files of a folder, including subagents', oldest first: if sessions repeat
// each other's messages, the first one read keeps them.
func transcripts(folder string) ([]entry, error) {
	var list []entry
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular() || filepath.Ext(path) != ".jsonl":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // deleted meanwhile
		}
		rel, err := filepath.Rel(folder, path)
		list = append(list, entry{rel, info.Size(), info.ModTime()})
		return err
	})
	return list, err
}

type entry struct {
	path string
	size int64
	mod  time.Time
}
