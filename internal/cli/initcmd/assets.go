package initcmd

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"warp/internal/durable"
	"warp/plugin"
)

// A command that would shadow a built-in one of the agent is written only on request, with the
// text of another.
const (
	seedCommand = ".claude/commands/loop.md"
	seedText    = "commands/quality-loop.md"
)

// instructions plans the slash commands and skills.
func (p *plan) instructions(want bool) {
	for _, pattern := range []string{"commands/*.md", "skills/*/*.md"} {
		names, err := fs.Glob(plugin.Files, pattern)
		p.fail(err)
		for _, name := range names {
			p.instruction(path.Join(".claude", name), p.asset(name), want)
		}
	}
	p.planSeedCommand(seedCommand, p.asset(seedText), want)
}

func (p *plan) asset(name string) []byte {
	body, err := fs.ReadFile(plugin.Files, name)
	p.fail(err)
	return stamp(string(body), markdown)
}

// planSeedCommand plans a command that is written only on request. Older versions of warp always
// wrote it; in a clone, a file with the current text shows that it was requested.
func (p *plan) planSeedCommand(name string, text []byte, want bool) {
	have, there, err := readOwnFile(p.root, name)
	ours, intact := checkStamp(have, markdown)
	asked := err == nil && string(have) == string(text)
	switch {
	case want && (p.now.Seed || asked):
		p.now.Seed = true
		p.instruction(name, text, true)
	case there && ours && intact:
		if want {
			p.note("%s hid a built-in command of Claude Code: it is now /quality-loop; warp init --seed-commands restores /loop", name)
		}
		p.instruction(name, text, false)
	case !want:
		p.instruction(name, text, false)
	}
}

func (p *plan) instruction(name string, text []byte, want bool) {
	full := filepath.Join(p.root, filepath.FromSlash(name))
	have, there, err := readOwnFile(p.root, name)
	ours, intact := checkStamp(have, markdown)
	same := strings.ReplaceAll(string(have), "\r\n", "\n") == string(text)
	put := func() error { return durable.WriteFile(full, text, 0o644) }
	switch {
	case err != nil:
		p.note("%s was left alone: %v", name, err)
		p.add(name, kept, nil)
	case !there && want:
		p.add(name, created, put)
	case !there:
		p.add(name, unchanged, nil)
	case !ours:
		p.note("%s was left alone: warp did not write it", name)
		p.add(name, kept, nil)
	case !intact:
		p.note("%s was left alone: it was changed since warp wrote it; remove it to get warp's version", name)
		p.add(name, kept, nil)
	case !want:
		p.add(name, removed, func() error { return unlink(full, filepath.Join(p.root, ".claude")) })
	case same:
		p.add(name, unchanged, nil)
	default:
		p.add(name, changed, put)
	}
}

// unlink removes a file and the folders it leaves empty, up to upTo.
func unlink(file, upTo string) error {
	if err := durable.RemoveFile(file); err != nil {
		return err
	}
	for dir := filepath.Dir(file); dir != upTo && len(dir) > len(upTo); dir = filepath.Dir(dir) {
		if durable.RemoveFile(dir) != nil { // not empty
			return nil
		}
	}
	return nil
}
