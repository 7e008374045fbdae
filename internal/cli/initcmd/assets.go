package initcmd

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
	"warp/plugin"
)

// assets returns the paths of the plugin files that a project gets.
func assets() (paths []string, err error) {
	for _, dir := range []string{"commands", "skills"} {
		err := fs.WalkDir(plugin.Files, dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
				paths = append(paths, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// seedCommands are commands that would shadow a built-in command of the agent, so they are
// written only on request. The values name the files with their text.
var seedCommands = map[string]string{"commands/loop.md": "commands/quality-loop.md"}

// instructions plans the slash commands and skills.
func (p *plan) instructions(want bool) {
	names, err := assets()
	p.fail(err)
	for _, name := range names {
		p.instruction(path.Join(".claude", name), p.asset(name), want)
	}
	for name, source := range seedCommands {
		p.seedCommand(path.Join(".claude", name), p.asset(source), want)
	}
}

func (p *plan) asset(name string) []byte {
	body, err := fs.ReadFile(plugin.Files, name)
	p.fail(err)
	return stamp(string(body), markdown)
}

// seedCommand plans a command that is written only on request. Older versions of warp always
// wrote it; in a clone, a file with the current text shows that it was requested.
func (p *plan) seedCommand(name string, text []byte, want bool) {
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
