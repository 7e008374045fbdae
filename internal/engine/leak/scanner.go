// Package leak refuses commits that would publish secrets. All engines commit through engine/land,
// which calls it: it searches the lines that a commit adds for patterns (the rules of gitleaks),
// and for the values of secret variables in the environment and in .env files. What was in the
// repository before is reported once and not refused. A person can allow a hit; that is recorded in
// the user's state folder, where no agent writes, by file, rule and a hash of the value.
//
// It guarantees that no value is shown, and that odd contents cost bounded memory and time: what is
// too large to read is refused like a secret.
package leak

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"warp/internal/core/leakscan"
	"warp/internal/sys/git"
)

// FoundError is core/leakscan's, so that engines can recognize it.
type FoundError = leakscan.FoundError

const (
	maxFile          = 32 << 20  // bytes of one file
	maxCommit        = 256 << 20 // bytes of all files of a commit
	batchSize        = 32 << 20  // bytes of contents in memory at once
	maxPatternFile   = 512 << 10 // bytes of added text per file that all rules are tried on
	maxPatternCommit = 4 << 20   // and per commit
	tooLarge         = "too-large-to-scan"
	maxChecked       = 4096 // pairs of trees that are remembered
)

// Options configure a scanner.
type Options struct {
	Scan    func(text string) []leakscan.Match // all rules
	Keys    func(text string) []leakscan.Match // rules for texts that are too large for all
	Environ []string                           // its secrets must not be committed
	Root    string                             // the project, whose .env files have more
	Allowed *Ledger                            // nil: nothing can be allowed
}

// Scanner scans the commits of one project. It is safe for concurrent use.
type Scanner struct {
	Options

	mu      sync.Mutex
	known   leakscan.Known
	checked map[[2]string]bool // pairs of trees without hits
	named   map[string]bool    // hits that were there before, by hash
}

// New returns a scanner. It reads the .env files now, before an agent can change them, and again
// with each commit.
func New(o Options) *Scanner {
	s := &Scanner{Options: o, checked: map[[2]string]bool{}, named: map[string]bool{}}
	s.known.Add(o.Environ, "")
	s.learnDotenv(o.Root, nil)
	return s
}

// Check refuses a change from one tree to another with a *FoundError. remark is called with what
// was there before. A nil scanner refuses nothing.
func (s *Scanner) Check(ctx context.Context, repo git.Repo, from, to string, remark func(string, ...any)) error {
	if s == nil || from == to {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checked[[2]string{from, to}] {
		return nil
	}
	if from == "" {
		empty, err := repo.Trees().Empty()
		if err != nil {
			return err
		}
		from = empty
	}
	changes, err := repo.Trees().Blobs(ctx, from, to)
	if err != nil {
		return fmt.Errorf("scanning the commit for secrets: %w", err)
	}
	s.learnDotenv(s.Root, changes)
	if repo.Dir != s.Root {
		s.learnDotenv(repo.Dir, changes)
	}
	c := &check{Scanner: s, repo: repo, from: from, remark: remark}
	if err := c.scanChanges(ctx, changes); err != nil {
		return fmt.Errorf("scanning the commit for secrets: %w", err)
	}
	hits, err := s.Allowed.recordRefused(s.Root, c.hits)
	if err != nil {
		return err
	}
	if len(hits) > 0 {
		return &FoundError{Hits: hits}
	}
	if len(s.checked) >= maxChecked {
		clear(s.checked)
	}
	s.checked[[2]string{from, to}] = true
	return nil
}

// check is the check of one change.
type check struct {
	*Scanner
	repo    git.Repo
	from    string
	remark  func(string, ...any)
	hits    []leakscan.Hit
	scanned int      // bytes that all rules were tried on
	partly  []string // files that were too large for that
}

// sized is a change with the number of bytes to read.
type sized struct {
	git.BlobChange
	size int64
}

func (c *check) scanChanges(ctx context.Context, changes []git.BlobChange) error {
	var hashes []string
	for _, ch := range changes {
		for _, h := range []string{ch.Before, ch.After} {
			if h != "" {
				hashes = append(hashes, h)
			}
		}
	}
	sizes, err := c.repo.Trees().Sizes(ctx, hashes)
	if err != nil {
		return err
	}
	var list []sized
	for _, ch := range changes {
		if ch.After == "" {
			continue // deletions add nothing
		}
		if sizes[ch.Before] > maxFile {
			ch.Before = ""
		}
		list = append(list, sized{ch, sizes[ch.After]})
	}
	// Small files first: a large one cannot use up their share of the limit.
	slices.SortStableFunc(list, func(a, b sized) int { return cmp.Compare(a.size, b.size) })
	var total, held int64
	var batch []git.BlobChange
	for _, f := range list {
		if total += f.size; f.size > maxFile || total > maxCommit {
			c.hits = append(c.hits, leakscan.NewHit(f.Path, nil, leakscan.Match{Rule: tooLarge, Value: f.After}))
			continue
		}
		batch = append(batch, f.BlobChange)
		if held += f.size + sizes[f.Before]; held > batchSize {
			if err := c.scanFiles(ctx, batch); err != nil {
				return err
			}
			batch, held = nil, 0
		}
	}
	if err := c.scanFiles(ctx, batch); err != nil {
		return err
	}
	if err := c.scanNames(ctx, list); err != nil {
		return err
	}
	if len(c.partly) > 0 && c.remark != nil {
		c.remark("%s was searched only for known values and private keys: too much in it looks like a secret", strings.Join(c.partly, ", "))
	}
	slices.SortFunc(c.hits, func(a, b leakscan.Hit) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return nil
}

// scanNames scans the names of new files, which are published too.
func (c *check) scanNames(ctx context.Context, list []sized) error {
	var names []byte
	for _, f := range list {
		if f.Before == "" && len(names) < maxPatternFile {
			names = append(append(names, f.Path...), '\n')
		}
	}
	found := c.known.Find(names)
	if suspect := leakscan.SuspiciousLines(names); c.Scan != nil && len(suspect) > 0 {
		found = append(found, c.Scan(string(suspect))...)
	}
	for _, m := range found {
		spelled := cmp.Or(c.known.FindSpelling(names, m), m.Value)
		i := slices.IndexFunc(list, func(f sized) bool { return f.Before == "" && strings.Contains(f.Path, spelled) })
		if i < 0 || m.Rule == leakscan.GenericRule {
			continue
		}
		// The name is the secret: it is not shown either.
		hit := leakscan.NewHit(strings.ReplaceAll(list[i].Path, spelled, "…"), nil, leakscan.Match{Rule: m.Rule + " (its name)", Value: spelled})
		if !slices.ContainsFunc(c.hits, func(h leakscan.Hit) bool { return h.Hash == hit.Hash }) {
			c.hits = append(c.hits, hit)
		}
	}
	return ctx.Err()
}

func (c *check) scanFiles(ctx context.Context, files []git.BlobChange) error {
	var hashes []string
	for _, f := range files {
		hashes = append(hashes, f.After)
		if f.Before != "" {
			hashes = append(hashes, f.Before)
		}
	}
	contents, err := c.repo.Trees().Contents(ctx, hashes)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := c.scanFile(ctx, f.Path, contents[f.Before], contents[f.After]); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) scanFile(ctx context.Context, path string, before, after []byte) error {
	plain := leakscan.ToText(after)
	was := leakscan.ToText(before)
	added := leakscan.AddedLines(was, plain)
	if len(added) == 0 {
		return nil
	}
	for _, m := range c.findMatches(path, added) {
		spelled := cmp.Or(c.known.FindSpelling(added, m), m.Value)
		old := bytes.Contains(was, []byte(spelled))
		if !old {
			var err error
			if old, err = c.repo.Trees().HasText(ctx, c.from, longestLine(spelled)); err != nil {
				return err
			}
		}
		hit := leakscan.NewHit(path, plain, leakscan.Match{Rule: m.Rule, Value: spelled})
		switch {
		case !old:
			c.hits = append(c.hits, hit)
		case !c.named[hit.Hash]:
			c.named[hit.Hash] = true
			if c.remark != nil {
				c.remark("the repository already contains this secret, and warp leaves it there: %s", hit)
			}
		}
	}
	return nil
}

// findMatches finds the secrets in added lines.
func (c *check) findMatches(path string, added []byte) (list []leakscan.Match) {
	list = c.known.Find(added)
	rules, tried := c.Scan, added
	if len(tried) > maxPatternFile {
		tried = leakscan.SuspiciousLines(added)
	}
	if len(tried) > maxPatternFile || c.scanned+len(tried) > maxPatternCommit {
		rules, tried = c.Keys, added
		c.partly = append(c.partly, fmt.Sprintf("%q", path))
	} else {
		c.scanned += len(tried)
	}
	if rules == nil {
		return list
	}
	for _, m := range rules(string(tried)) {
		known := slices.ContainsFunc(list, func(k leakscan.Match) bool {
			return strings.Contains(k.Value, m.Value) || strings.Contains(m.Value, k.Value)
		})
		if !known && leakscan.RuleApplies(path, m.Rule) {
			list = append(list, m)
		}
	}
	return list
}

// longestLine returns the line by which a multi-line text is searched for.
func longestLine(text string) (longest string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimRight(l, "\r\n"); len(l) > len(longest) {
			longest = l
		}
	}
	return longest
}
