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

// Hooks are the repository's own git hooks. They run in a clean room, since they may call the work
// itself. Like every command's, their files count as they were before the work.
type Hooks struct {
	CommandSetup
	Top    string        // the top of the work tree
	Base   string        // what the user has: it decides what is installed for hooks; "": unknown
	Folder string        // where git looks for hooks
	Limit  time.Duration // for one run
	Redact func(string) string
}

// HookRequest is a commit or push that hooks check.
type HookRequest struct {
	Candidate        // Base has the old hooks
	Head      string // the checked-out commit; "": none
	Message   string // of the commit
	Push      *Push  // nil for a commit
}

// Push is the input of a pre-push hook.
type Push struct {
	Remote, URL string
	Line        string // what is pushed, in git's format
}

func (a HookRequest) hookNames() []string {
	if a.Push != nil {
		return []string{"pre-push"}
	}
	return []string{"pre-commit", "commit-msg"}
}

// HookVerdict is the hooks' answer to a commit or push.
type HookVerdict struct {
	OK      bool
	Output  string
	Message string // as the hooks left it; they may add to it
	Tree    string // with the hooks' changes to files, as formatters make
}

// Limits of a hook's size, and of the message it leaves.
const (
	maxHookSize = 1 << 20
	maxMessage  = 64 << 10
)

// HasHooks reports whether there are hooks for a request, and a room to run them in.
func (h Hooks) HasHooks(a HookRequest) bool {
	if h.Rooms == nil {
		return false
	}
	for _, name := range a.hookNames() {
		if _, err := os.Lstat(filepath.Join(h.Folder, name)); err == nil {
			return true
		}
	}
	return false
}

// CheckCommit runs the hooks on a request. If the work changed what they run, both versions run and
// must agree; changes to files and message come from the old one. Some hooks refuse what they have
// just formatted, and accept it the second time.
func (h Hooks) CheckCommit(ctx context.Context, a HookRequest) (v HookVerdict, err error) {
	rel, inside := h.pathInTree()
	line, own := h.readHooks(a, rel, inside)
	tests := &Tests{Command: Command{Line: line}, Repo: a.Repo, Protected: append(own, h.Protected...)}
	o, err := tests.newComparison(a.Candidate)
	if err != nil {
		return v, err
	}
	now, err := h.runHooks(ctx, a, a.Tree, rel)
	if err != nil || len(o.unallowedRunners()) == 0 || !now.OK && now.Tree == a.Tree {
		return now, err
	}
	tree, err := a.Repo.Trees().Graft(ctx, a.Tree, a.Base, o.unallowedRunners())
	if err != nil {
		return v, err
	}
	if v, err = h.runHooks(ctx, a, tree, rel); err != nil {
		return v, err
	}
	switch {
	case !now.OK:
		v.OK, v.Output = false, now.Output
	case !v.OK:
		v.Output = "with " + text.Quote(o.unallowedRunners(), 5) + " as before the work: " + v.Output
	}
	if v.Tree != tree { // without the files that count in their old version
		v.Tree, err = a.Repo.Trees().Graft(ctx, v.Tree, a.Tree, o.unallowedRunners())
	} else {
		v.Tree = a.Tree
	}
	return v, err
}

// pathInTree returns the hooks' folder within the work tree, if it is there.
func (h Hooks) pathInTree() (rel string, inside bool) {
	rel, err := filepath.Rel(h.Top, h.Folder)
	return filepath.ToSlash(rel), err == nil && isOfTree(rel)
}

// readHooks reads what the old version of the hooks runs, and lists those that are files of the
// tree.
func (h Hooks) readHooks(a HookRequest, rel string, inside bool) (line string, own []string) {
	if inside {
		own = append(own, rel)
	}
	for _, name := range a.hookNames() {
		file, err := filepath.EvalSymlinks(filepath.Join(h.Folder, name))
		if err != nil {
			continue
		}
		var text []byte
		if at, err := filepath.Rel(h.Top, file); err == nil && isOfTree(at) {
			own = append(own, filepath.ToSlash(at))
			text, _ = a.Repo.Trees().Content(a.Base, filepath.ToSlash(at), maxHookSize)
		} else if content, err := durable.ReadPlain(file); err == nil && len(content) <= maxHookSize {
			text = content
		}
		line += string(text) + "\n"
	}
	return line, own
}

// isOfTree reports whether a path relative to the top belongs to the work tree.
func isOfTree(rel string) bool {
	return filepath.IsLocal(rel) && rel != "." && rel != ".git" && !strings.HasPrefix(rel, ".git"+string(filepath.Separator))
}

func (h Hooks) runHooks(ctx context.Context, a HookRequest, tree, rel string) (v HookVerdict, err error) {
	room, err := h.Rooms(ctx, tree, h.Base)
	if unfit, is := errors.AsType[*UnusableWorkError](err); is {
		return HookVerdict{Output: unfit.Error(), Message: a.Message, Tree: tree}, nil
	}
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, room.Leave()) }()
	folder, err := h.prepareRoom(room.Top(), a, rel)
	if err != nil {
		return v, fmt.Errorf("making the repository's hooks ready: %w", err)
	}
	place := &Place{room: room}
	said, err := place.Run(ctx, Command{Line: fmt.Sprintf(runHooksScript, pathToTop(a.Prefix), folder) + a.commandLine(), Environ: h.Environ, Limit: h.Limit, Redact: h.Redact})
	v = HookVerdict{OK: said.Passed, Output: strings.TrimSpace(said.Output), Message: a.Message, Tree: tree}
	if said.TimedOut {
		v.Output += fmt.Sprintf("\nIt did not end within %s and was killed.", said.Limit)
	}
	if err != nil || said.TimedOut || a.Push != nil {
		return v, err
	}
	if v.Tree, err = room.Taken(ctx); err != nil || !v.OK {
		return v, err
	}
	message, err := durable.ReadPlain(filepath.Join(room.Top(), messageFile))
	if err == nil && len(message) > maxMessage {
		err = fmt.Errorf("it has %d bytes, and at most %d are read", len(message), maxMessage)
	}
	if err != nil {
		return v, fmt.Errorf("reading the message that the hooks left: %w", err)
	}
	v.Message = string(message)
	return v, nil
}

// messageFile is the file that commit-msg gets.
const messageFile = ".git/COMMIT_EDITMSG"

// runHooksScript starts the script that runs hooks as git does, at the top. Some programs refuse
// non-ASCII letters in the plain C locale.
const runHooksScript = `cd ./%s && export GIT_EDITOR=: LC_ALL=C.UTF-8 LANGUAGE= && d=%s || exit 1
`

// commandLine returns the command that runs the existing hooks.
func (a HookRequest) commandLine() string {
	if p := a.Push; p != nil {
		return fmt.Sprintf(`[ ! -x "$d/pre-push" ] || printf '%%s\n' %s | "$d/pre-push" %s %s`, quoteForShell(p.Line), quoteForShell(p.Remote), quoteForShell(p.URL))
	}
	return `[ ! -x "$d/pre-commit" ] || "$d/pre-commit" || exit 1
[ ! -x "$d/commit-msg" ] || "$d/commit-msg" ` + messageFile
}

func pathToTop(prefix string) string {
	if prefix == "" {
		return ""
	}
	return strings.Repeat("../", strings.Count(prefix, "/")+1)
}

// prepareRoom makes a room look like the work tree when git runs hooks, and returns their folder.
// Hooks outside the tree, and ignored ones, are copied.
func (h Hooks) prepareRoom(top string, a HookRequest, rel string) (folder string, err error) {
	head := a.Head + "\n"
	if a.Head == "" {
		head = "ref: refs/heads/main\n"
	}
	for name, content := range map[string]string{".git/HEAD": head, messageFile: a.Message} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	if _, inside := h.pathInTree(); inside {
		to := filepath.Join(top, filepath.FromSlash(rel))
		if _, err := os.Lstat(to); err == nil {
			return quoteForShell("./" + rel), nil
		}
		return quoteForShell("./" + rel), copyHooks(h.Folder, to)
	}
	return ".git/hooks", copyHooks(h.Folder, filepath.Join(top, ".git", "hooks"))
}

// copyHooks copies a folder, with links as links: some lead to scripts of the tree. No program may
// start meanwhile: it would inherit an open copy, which then could not be executed.
func copyHooks(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.CopyFS(to, os.DirFS(from))
}

func quoteForShell(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
