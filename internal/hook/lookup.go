package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// maxScript limits the size of shell scripts that are parsed.
const maxScript = 128 << 10

func readScript(path string) (string, bool) {
	script, err := durable.ReadSmall(path, maxScript)
	return string(script), err == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func hasBranch(dir, name string) bool {
	place, ok := git.Locate(dir)
	if !ok || dir == "" {
		return false
	}
	tip, err := place.Tip(name)
	return err == nil && tip != ""
}

// gitCommands are git's own commands that agents use most. Git lets no alias replace them, and
// asking for one starts a process, which made the hook of every git add twice as slow.
var gitCommands = text.WordSet{List: `add blame cat-file check-ignore config describe diff diff-tree for-each-ref grep help init log
 ls-files ls-remote ls-tree merge-base name-rev notes remote rev-list rev-parse shortlog show show-ref status version`}

// findAlias returns the command behind an alias of git or of a tracker's program.
func findAlias(getenv func(string) string, dir, program, name string) (string, bool) {
	home := getenv("XDG_CONFIG_HOME")
	if home == "" {
		home = filepath.Join(getenv("HOME"), ".config")
	}
	switch program {
	case "git":
		if gitCommands.Has(name) {
			return "", false
		}
		return git.Repo{Dir: dir}.Alias(name)
	case "gh":
		if own := getenv("GH_CONFIG_DIR"); own != "" {
			return findAliasIn(filepath.Join(own, "config.yml"), "aliases:", name)
		}
		return findAliasIn(filepath.Join(home, "gh", "config.yml"), "aliases:", name)
	case "glab":
		return findAliasIn(filepath.Join(home, "glab-cli", "aliases.yml"), "", name)
	}
	return "", false
}

// findAliasIn looks up an alias in a YAML file as these programs write it: one line each, below
// the line that begins the section.
func findAliasIn(file, section, name string) (string, bool) {
	text, err := durable.ReadPlain(file)
	if err != nil {
		return "", false
	}
	within := section == ""
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		switch indented := strings.HasPrefix(key, " "); {
		case section != "" && !indented:
			within = key+":" == section
		case within && strings.Trim(key, " '\"") == name:
			return strings.Trim(strings.TrimSpace(value), "'\""), true
		}
	}
	return "", false
}

// reachesRemote reports whether a push from another repository goes to this repository or to one
// of its remotes.
func reachesRemote(act command.Act, home git.Place) bool {
	targets := slices.Clone(act.URLs)
	place, ok := git.Locate(act.Dir)
	remotes := map[string][]string{}
	if ok {
		remotes = place.Remotes()
	}
	switch urls, named := remotes[act.Remote]; {
	case named:
		targets = append(targets, urls...)
	case act.Remote != "" && act.Remote != dynamic:
		targets = append(targets, act.Remote)
	default:
		for _, urls := range remotes {
			targets = append(targets, urls...)
		}
	}
	ours := []string{normalizeAddress(home.Top, ""), normalizeAddress(home.Common(), "")}
	for _, urls := range home.Remotes() {
		for _, u := range urls {
			ours = append(ours, normalizeAddress(u, home.Top))
		}
	}
	return slices.ContainsFunc(targets, func(t string) bool { return slices.Contains(ours, normalizeAddress(t, act.Dir)) })
}

// normalizeAddress returns one spelling for all addresses of a repository, so that they compare
// equal.
func normalizeAddress(url, from string) string {
	url = strings.TrimPrefix(url, "file://")
	rest, remote := url, false
	if _, after, ok := strings.Cut(url, "://"); ok {
		rest, remote = after, true
	} else if host, path, ok := strings.Cut(url, ":"); ok && !strings.Contains(host, "/") {
		rest, remote = host+"/"+path, true
	}
	if remote {
		if _, after, ok := strings.Cut(rest, "@"); ok {
			rest = after
		}
		return strings.ToLower(strings.TrimSuffix(strings.TrimRight(rest, "/"), ".git"))
	}
	if !filepath.IsAbs(url) && from != "" {
		url = filepath.Join(from, url)
	}
	return strings.TrimSuffix(strings.TrimSuffix(resolveLinks(url), "/.git"), ".git")
}

// fileNames maps paths to the files of the project.
type fileNames struct {
	root string // the project's root
	dir  string // the session's folder, the base of relative paths
}

func newFileNames(root, dir string) fileNames {
	if !filepath.IsAbs(dir) {
		dir = root
	}
	return fileNames{root, dir}
}

// resolve returns the file that a path leads to; the last parts need not exist yet.
func (n fileNames) resolve(file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(n.dir, file)
	}
	return resolveLinks(file)
}

// name returns a file's path relative to the project; files outside keep their full path.
func (n fileNames) name(file string) string {
	if full := filepath.Clean(file); filepath.IsAbs(full) && isInside(full, n.root) && full != n.root { // the usual case
		return filepath.ToSlash(full[len(n.root)+1:])
	}
	full := n.resolve(file)
	rel, err := filepath.Rel(resolveLinks(n.root), full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return full
	}
	return filepath.ToSlash(rel)
}

// nameAnalyzed names a file that an agent has read; "" for a folder, as searches name them.
func (n fileNames) nameAnalyzed(file string) string {
	if name := n.name(file); name != "." && !isFolder(filepath.Join(n.root, name)) && !isFolder(name) {
		return name
	}
	return ""
}

func resolveLinks(file string) string {
	file = filepath.Clean(file)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return followLinks(file, 40) // the kernel's limit
}

// followLinks resolves a path whose end does not exist, link by link.
func followLinks(file string, links int) string {
	if to, err := os.Readlink(file); err == nil && links > 0 {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		return followLinks(filepath.Clean(to), links-1)
	}
	up := filepath.Dir(file)
	if up == file {
		return file
	}
	if real, err := filepath.EvalSymlinks(up); err == nil {
		return filepath.Join(real, filepath.Base(file))
	}
	return filepath.Join(followLinks(up, links), filepath.Base(file))
}

func isInside(file, dir string) bool {
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
