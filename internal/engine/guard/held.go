package guard

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

const (
	// heldRefs hold what references and the index alone keep from being collected: a
	// run that deletes a branch, or unstages a file, and has git collect its garbage
	// would leave nothing to put back.
	// Each process has its own: another's must outlive it.
	heldRefs = "refs/warp/held/"
	mostHeld = 2000 // branches and tags
)

// hold has a commit name the tips of all branches and stashes, with what is staged as
// its tree, and references beside name the tags. Nothing is done while all of it is as
// it was when it was held last.
func (s *Shared) hold(ctx context.Context, g *Guard, staged map[string]git.Staged) error {
	var commits, tags, blobs []string
	for ref, at := range s.refs {
		switch {
		case strings.HasPrefix(ref, heldRefs):
			delete(s.refs, ref) // the guard's own
		case strings.HasPrefix(ref, heads):
			commits = append(commits, at)
		case strings.HasPrefix(ref, "refs/tags/"):
			tags = append(tags, at)
		}
	}
	for line := range strings.Lines(string(s.stash.Text)) {
		if f := strings.Fields(line); len(f) > 1 { // OLD NEW …
			commits = append(commits, f[1])
		}
	}
	for _, e := range staged {
		mode, hash, _ := strings.Cut(e.Index, " ")
		if hash, _, _ = strings.Cut(hash, " "); strings.HasPrefix(mode, "1") && mode != "160000" && strings.Trim(hash, "0") != "" {
			blobs = append(blobs, mode+" blob "+hash+"\t"+hash+"-"+mode)
		}
	}
	all := slices.Concat(distinct(&commits), distinct(&tags), distinct(&blobs))
	if now := strings.Join(all, "\n"); now == s.held || len(commits)+len(tags) > mostHeld {
		return nil
	} else {
		s.held = now
	}
	tree, err := s.heldTree(ctx, g, blobs)
	if err != nil {
		return fmt.Errorf("holding what is staged: %w", err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "tree %s\n", strings.TrimSpace(string(tree)))
	for _, c := range commits {
		fmt.Fprintf(&text, "parent %s\n", c)
	}
	who := "warp <warp@localhost> 0 +0000"
	fmt.Fprintf(&text, "author %s\ncommitter %s\n\nwarp holds what must not be collected while an agent runs\n", who, who)
	commit, err := g.repo.git(ctx, text.String(), "hash-object", "-t", "commit", "-w", "--stdin")
	if err != nil {
		return fmt.Errorf("holding branches and stashes: %w", err)
	}
	own := heldRefs + strconv.Itoa(os.Getpid()) + "/"
	lines := []string{"update " + own + "tips " + strings.TrimSpace(string(commit))}
	for _, t := range tags {
		lines = append(lines, "update "+own+"tags/"+t+" "+t)
	}
	_, err = g.repo.git(ctx, strings.Join(lines, "\n")+"\n", "update-ref", "--stdin")
	return err
}

// heldTree is a tree with contents. The one without any every repository has.
func (s *Shared) heldTree(ctx context.Context, g *Guard, blobs []string) (tree []byte, err error) {
	if len(blobs) == 0 && len(s.empty) > 0 {
		return s.empty, nil
	}
	tree, err = g.repo.git(ctx, strings.Join(append(blobs, ""), "\x00"), "mktree", "-z", "--missing")
	if len(blobs) == 0 && err == nil {
		s.empty = tree
	}
	return tree, err
}

func distinct(list *[]string) []string {
	slices.Sort(*list)
	*list = slices.Compact(*list)
	return *list
}

// release lets go of what was held, here and by processes that are gone.
func (s *Shared) release(ctx context.Context, g *Guard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 0 {
		return
	}
	s.held = ""
	refs, err := g.repo.place.Refs(ctx)
	if err != nil {
		return // the next run holds again, and lets go then
	}
	var lines strings.Builder
	for ref := range refs {
		if rest, ok := strings.CutPrefix(ref, heldRefs); ok && !isHeldByAnother(rest) {
			lines.WriteString("delete " + ref + "\n")
		}
	}
	if lines.Len() == 0 {
		return
	}
	_, _ = g.repo.git(ctx, lines.String(), "update-ref", "--stdin") // what is held too long costs space alone
}

// isHeldByAnother reports whether a reference below heldRefs is of a process that lives.
func isHeldByAnother(rest string) bool {
	name, _, _ := strings.Cut(rest, "/")
	pid, err := strconv.Atoi(name)
	if err != nil || pid == os.Getpid() {
		return false
	}
	_, alive := proc.Started(pid)
	return alive
}
