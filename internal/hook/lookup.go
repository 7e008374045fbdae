package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// maxScript limits the size of shell scripts that are parsed.
const maxScript = 128 << 10

func readScript(path string) (string, bool) {
	text, err := durable.ReadSmall(path, maxScript)
	return string(text), err == nil
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

// findAlias returns the command behind an alias of git or of a tracker's program.
func findAlias(getenv func(string) string, dir, program, name string) (string, bool) {
	home := getenv("XDG_CONFIG_HOME")
	if home == "" {
		home = filepath.Join(getenv("HOME"), ".config")
	}
	switch program {
	case "git":
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
