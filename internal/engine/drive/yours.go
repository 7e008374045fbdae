package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// touched keeps the user's files as they were where they were changed, and not
// lost, while an agent ran: by it, or by the user, which nobody can tell.
func (g *guard) touched(ctx context.Context, changes []git.Change, lost []string) error {
	if !slices.ContainsFunc(changes, func(c git.Change) bool { return c.Status != 'A' }) {
		return nil
	}
	users, err := g.users()
	if err != nil {
		return err
	}
	var list []string
	for _, c := range changes {
		if c.Status != 'A' && users[c.Path] && !slices.Contains(lost, c.Path) {
			list = append(list, c.Path)
		}
	}
	if len(list) > 0 {
		g.e.intervene(g.s, "yours", g.e.salvage(ctx, g.s, "yours", g.tree), "files with changes of yours that are not committed were changed while the agent ran; as they were, they are kept: %s", text.Quote(list, 5))
	}
	return nil
}

// clear removes what the agent put where a lost file has to be: a folder of its
// name, or a file of its folder's.
func (g *guard) clear(ctx context.Context, tree string, changes []git.Change, lost []string) error {
	var way []string
	for _, c := range changes {
		inWay := func(p string) bool { return strings.HasPrefix(c.Path, p+"/") || strings.HasPrefix(p, c.Path+"/") }
		if c.Status != 'D' && slices.ContainsFunc(lost, inWay) {
			way = append(way, c.Path)
		}
	}
	if len(way) == 0 {
		return nil
	}
	g.e.intervene(g.s, "destroyed", g.e.salvage(ctx, g.s, "agent", tree), "what the agent put in the place of files that are not its own was removed: %s", text.Quote(way, 5))
	return g.e.Work.Restore(ctx, g.tree, way, true)
}
