package setup

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/plugin"
)

// assets are the files of the plugin that a project gets, by their path in it.
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

// instructions plans the slash commands and skills.
func (p *plan) instructions(want bool) error {
	names, err := assets()
	if err != nil {
		return err
	}
	for _, name := range names {
		body, err := fs.ReadFile(plugin.Files, name)
		if err != nil {
			return err
		}
		p.instruction(path.Join(".claude", name), stamp(string(body), markdown), want)
	}
	return nil
}

func (p *plan) instruction(name string, text []byte, want bool) {
	full := filepath.Join(p.root, filepath.FromSlash(name))
	have, there, err := look(p.root, name)
	ours, intact := judge(have, markdown)
	same := strings.ReplaceAll(string(have), "\r\n", "\n") == string(text)
	put := func() error { return place(full, text, 0o644) }
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
		p.note("%s was left alone: it was changed since warp wrote it; remove it to get warp's", name)
		p.add(name, kept, nil)
	case !want:
		p.add(name, removed, func() error { return unlink(full, filepath.Join(p.root, ".claude")) })
	case same:
		p.add(name, unchanged, nil)
	default:
		p.add(name, changed, put)
	}
}

// unlink removes a file, and the folders around it that it leaves empty.
func unlink(file, upTo string) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	for dir := filepath.Dir(file); dir != upTo && len(dir) > len(upTo); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil { // it is not empty
			return nil
		}
	}
	return nil
}
