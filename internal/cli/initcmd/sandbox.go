package initcmd

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/lossless"
)

// outside are the commands that a session with a person runs outside of Claude Code's
// own sandbox: they change what nothing inside may, .git and .claude. Warp's hooks look
// at them first. The first of them marks the section as ours.
var outside = []string{"warp:*", "git:*"}

// hidden are where keys and logins are kept; a path that begins with ~ is the user's.
var hidden = []string{
	"~/.ssh", "~/.gnupg", "~/.aws", "~/.azure", "~/.config/gcloud", "~/.config/gh", "~/.config/hub", "~/.kube", "~/.docker", "~/.netrc", "~/.npmrc",
	"~/.pypirc", "~/.cargo/credentials.toml", "~/.local/state/warp", "~/.password-store",
}

// claudeSandbox is Claude Code's own sandbox, set to what warp's does for agents that run
// by themselves, within what can be configured there. A user of it wants no session
// without one: where it cannot start, Claude Code does not either.
func claudeSandbox(s config.Settings) *lossless.Value {
	yes, no := &lossless.Value{Kind: lossless.Bool, Raw: "true"}, &lossless.Value{Kind: lossless.Bool, Raw: "false"}
	var hosts []string
	for _, host := range s.Sandbox.Hosts {
		if name, _, _ := strings.Cut(host, ":"); name != "127.0.0.1" && name != "localhost" {
			hosts = append(hosts, name)
		}
	}
	files := []lossless.Member{{Key: "denyRead", Value: words(slices.DeleteFunc(slices.Clone(hidden), func(path string) bool { return slices.Contains(s.Sandbox.Read, path) }))},
		{Key: "denyWrite", Value: words([]string{"./.claude", "~/.local/state/warp", "~/.config/warp"})}}
	if len(s.Sandbox.Write) > 0 {
		paths := slices.Clone(s.Sandbox.Write)
		for i, path := range paths {
			if strings.HasPrefix(path, "/") {
				paths[i] = "/" + path // one alone is from the settings' folder on
			}
		}
		files = append(files, lossless.Member{Key: "allowWrite", Value: words(paths)})
	}
	return lossless.NewObject(
		lossless.Member{Key: "enabled", Value: yes},
		lossless.Member{Key: "failIfUnavailable", Value: yes},
		lossless.Member{Key: "allowUnsandboxedCommands", Value: no},
		lossless.Member{Key: "autoAllowBashIfSandboxed", Value: no},
		lossless.Member{Key: "excludedCommands", Value: words(outside)},
		lossless.Member{Key: "filesystem", Value: lossless.NewObject(files...)},
		lossless.Member{Key: "network", Value: lossless.NewObject(lossless.Member{Key: "allowedDomains", Value: words(hosts)}, lossless.Member{Key: "allowLocalBinding", Value: yes})})
}

func words(list []string) *lossless.Value {
	v := &lossless.Value{Kind: lossless.Array}
	for _, s := range list {
		v.Elems = append(v.Elems, lossless.NewString(s))
	}
	return v
}

var errOwnSandbox = errors.New("your sandbox section is left alone: remove it, then run warp init --sandbox again")

// putSandbox puts the section into the settings; nil: it takes ours out. What is the
// user's keeps every byte.
func putSandbox(text []byte, want *lossless.Value) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		if want == nil {
			return text, nil
		}
		text = []byte("{}\n")
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	have := doc.Get("sandbox")
	list := []*lossless.Value{}
	if have != nil && have.Get("excludedCommands") != nil {
		list = have.Get("excludedCommands").Elems
	}
	mine := len(list) > 0 && list[0].Text() == outside[0]
	switch {
	case want == nil && mine:
		text = lossless.RemoveItem(text, doc, slices.IndexFunc(doc.Members, func(m lossless.Member) bool { return m.Key == "sandbox" }))
		if bytes.Equal(bytes.TrimSpace(text), []byte("{}")) {
			return nil, nil
		}
		return text, nil
	case want == nil, same(have, want):
		return text, nil
	case have == nil:
		return lossless.AddMember(text, doc, "sandbox", want), nil
	case !mine:
		return nil, errOwnSandbox
	}
	return lossless.ReplaceValue(text, have, want), nil
}
