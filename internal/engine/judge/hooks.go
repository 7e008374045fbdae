package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"warp/internal/core/text"
	"warp/internal/durable"
)

// Hooks are the repository's own, for commits and pushes. They are run in a room, since what they call may be the work itself. Their files count as they were
// before it, like those of every command.
type Hooks struct {
	Ground
	Top    string        // of the work tree
	Base   string        // what the user has: what is installed for hooks is as it says; "": nothing is known
	Folder string        // where git looks for hooks
	Limit  time.Duration // of one run
	Redact func(string) string
}

// Asked is a commit, or a push, that hooks are asked about.
type Asked struct {
	Candidate        // Base has the hooks as they were
	Head      string // the commit that is checked out meanwhile; "": there is none
	Message   string // of a commit
	Push      *Push  // nil: it is a commit
}

// Push is what a pre-push hook is told.
type Push struct {
	Remote, URL string
	Line        string // what is pushed, as git says it
}

func (a Asked) hooks() []string {
	if a.Push != nil {
		return []string{"pre-push"}
	}
	return []string{"pre-commit", "commit-msg"}
}

// HookVerdict is what hooks think of a commit.
type HookVerdict struct {
	OK      bool
	Said    string
	Message string // as they left it, which may add to it
	Tree    string // with what they have made of its files: formatters do
}

// mostOfHook bounds what is read of a hook, maxMessage what one may make of a message.
const (
	mostOfHook = 1 << 20
	maxMessage = 64 << 10
)

// Found tells whether there are hooks for it, and a room to run them in.
func (h Hooks) Found(a Asked) bool {
	if h.Rooms == nil {
		return false
	}
	for _, name := range a.hooks() {
		if _, err := os.Lstat(filepath.Join(h.Folder, name)); err == nil {
			return true
		}
	}
	return false
}

// Ask asks the hooks about a commit. Where the work has changed what they run, they are
// run in both ways and have to agree; what they make of files and message is taken from
// the old way. Some refuse what they have formatted, and agree when they are asked again.
func (h Hooks) Ask(ctx context.Context, a Asked) (v HookVerdict, err error) {
	rel, inside := h.inTree()
	line, own := h.read(a, rel, inside)
	tests := &Tests{Command: Command{Line: line}, Repo: a.Repo, Protected: append(own, h.Protected...)}
	o, err := tests.oldWay(a.Candidate)
	if err != nil {
		return v, err
	}
	now, err := h.run(ctx, a, a.Tree, rel)
	if err != nil || len(o.open()) == 0 || !now.OK && now.Tree == a.Tree {
		return now, err
	}
	tree, err := a.Repo.Graft(ctx, a.Tree, a.Base, o.open())
	if err != nil {
		return v, err
	}
	if v, err = h.run(ctx, a, tree, rel); err != nil {
		return v, err
	}
	switch {
	case !now.OK:
		v.OK, v.Said = false, now.Said
	case !v.OK:
		v.Said = "with " + text.Quote(o.open(), 5) + " as before the work: " + v.Said
	}
	if v.Tree != tree { // the files that count as they were are not part of it
		v.Tree, err = a.Repo.Graft(ctx, v.Tree, a.Tree, o.open())
	} else {
		v.Tree = a.Tree
	}
	return v, err
}

// inTree is the folder of the hooks from the top, where the work tree has it.
func (h Hooks) inTree() (rel string, inside bool) {
	rel, err := filepath.Rel(h.Top, h.Folder)
	return filepath.ToSlash(rel), err == nil && isOfTree(rel)
}

// read is what the hooks say that they run, as they were, and which files of the tree
// are hooks themselves.
func (h Hooks) read(a Asked, rel string, inside bool) (line string, own []string) {
	if inside {
		own = append(own, rel)
	}
	for _, name := range a.hooks() {
		file, err := filepath.EvalSymlinks(filepath.Join(h.Folder, name))
		if err != nil {
			continue
		}
		var text []byte
		if at, err := filepath.Rel(h.Top, file); err == nil && isOfTree(at) {
			own = append(own, filepath.ToSlash(at))
			text, _ = a.Repo.Content(a.Base, filepath.ToSlash(at), mostOfHook)
		} else if content, err := durable.ReadPlain(file); err == nil && len(content) <= mostOfHook {
			text = content
		}
		line += string(text) + "\n"
	}
	return line, own
}

// isOfTree tells whether a path from the top is one of the work tree's own.
func isOfTree(rel string) bool {
	return filepath.IsLocal(rel) && rel != "." && rel != ".git" && !strings.HasPrefix(rel, ".git"+string(filepath.Separator))
}

// run runs the hooks on a tree.
func (h Hooks) run(ctx context.Context, a Asked, tree, rel string) (v HookVerdict, err error) {
	room, err := h.Rooms(ctx, tree, h.Base)
	var unfit *UnfitError
	if errors.As(err, &unfit) {
		return HookVerdict{Said: unfit.Error(), Message: a.Message, Tree: tree}, nil
	}
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, room.Leave()) }()
	folder, err := h.prepare(room.Top(), a, rel)
	if err != nil {
		return v, fmt.Errorf("making the repository's hooks ready: %w", err)
	}
	place := &Place{room: room}
	said, err := place.Run(ctx, Command{Line: fmt.Sprintf(runHooks, upFrom(a.Prefix), folder) + a.call(), Environ: h.Environ, Limit: h.Limit, Redact: h.Redact})
	v = HookVerdict{OK: said.Passed, Said: strings.TrimSpace(said.Output), Message: a.Message, Tree: tree}
	if said.TimedOut {
		v.Said += fmt.Sprintf("\nIt did not end within %s and was killed.", said.Limit)
	}
	if err != nil || said.TimedOut || a.Push != nil {
		return v, err
	}
	if v.Tree, err = room.Taken(ctx); err != nil || !v.OK {
		return v, err
	}
	message, err := durable.ReadPlain(filepath.Join(room.Top(), message))
	if err != nil || len(message) > maxMessage {
		return v, fmt.Errorf("reading the message that the hooks left: %w", errors.Join(err, errTooLong(len(message))))
	}
	v.Message = string(message)
	return v, nil
}

func errTooLong(n int) error {
	if n <= maxMessage {
		return nil
	}
	return fmt.Errorf("it has %d bytes, and at most %d are read", n, maxMessage)
}

// message is the file that commit-msg gets.
const message = ".git/COMMIT_EDITMSG"

// runHooks begins what runs hooks as git does, at the top. Some programs take the plain
// C locale to forbid all other letters.
const runHooks = `cd ./%s && export GIT_EDITOR=: LC_ALL=C.UTF-8 LANGUAGE= && d=%s || exit 1
`

// call calls the hooks that are there.
func (a Asked) call() string {
	if p := a.Push; p != nil {
		return fmt.Sprintf(`[ ! -x "$d/pre-push" ] || printf '%%s\n' %s | "$d/pre-push" %s %s`, quote(p.Line), quote(p.Remote), quote(p.URL))
	}
	return `[ ! -x "$d/pre-commit" ] || "$d/pre-commit" || exit 1
[ ! -x "$d/commit-msg" ] || "$d/commit-msg" ` + message
}

func upFrom(prefix string) string {
	if prefix == "" {
		return ""
	}
	return strings.Repeat("../", strings.Count(prefix, "/")+1)
}

// prepare makes a room look as the work tree does when git calls hooks, and says where the hooks
// are in it. Those outside of the tree, and those in it that git ignores, are copied.
func (h Hooks) prepare(top string, a Asked, rel string) (folder string, err error) {
	head := a.Head + "\n"
	if a.Head == "" {
		head = "ref: refs/heads/main\n"
	}
	for name, content := range map[string]string{".git/HEAD": head, message: a.Message} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	if _, inside := h.inTree(); inside {
		to := filepath.Join(top, filepath.FromSlash(rel))
		if _, err := os.Lstat(to); err == nil {
			return quote("./" + rel), nil
		}
		return quote("./" + rel), copyHooks(h.Folder, to)
	}
	return ".git/hooks", copyHooks(h.Folder, filepath.Join(top, ".git", "hooks"))
}

// copyHooks copies a folder, with links as links: some lead to scripts of the tree. No
// program is started meanwhile: it would inherit an open copy, which then cannot be run.
func copyHooks(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.CopyFS(to, os.DirFS(from))
}

func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
