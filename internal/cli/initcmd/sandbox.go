package initcmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/lossless"
)

// unsandboxedCommands run outside of Claude Code's sandbox in interactive sessions: they change
// .git and .claude, which nothing inside may. Warp's hooks check them first. The first one marks
// the section as ours.
var unsandboxedCommands = []string{"warp:*", "git:*"}

// secretPaths lists paths that hold keys and logins.
var secretPaths = []string{
	"~/.ssh", "~/.gnupg", "~/.aws", "~/.azure", "~/.config/gcloud", "~/.config/gh", "~/.config/hub", "~/.kube", "~/.docker", "~/.netrc", "~/.npmrc",
	"~/.pypirc", "~/.cargo/credentials.toml", "~/.local/state/warp", "~/.password-store",
}

// claudeSandbox configures Claude Code's sandbox like warp's for unattended agents, as far as
// its settings allow. A person who enables it wants no session without it, so Claude Code does not
// start if the sandbox cannot.
func claudeSandbox(s config.Settings) *lossless.Value {
	var hosts []string
	for _, host := range s.Sandbox.Hosts {
		if name, _, _ := strings.Cut(host, ":"); name != "127.0.0.1" && name != "localhost" {
			hosts = append(hosts, name)
		}
	}
	deny := slices.DeleteFunc(slices.Clone(secretPaths), func(path string) bool { return slices.Contains(s.Sandbox.Read, path) })
	files := lossless.NewObject(lossless.NewMember("denyRead", deny), lossless.NewMember("denyWrite", []string{"./.claude", "~/.local/state/warp", "~/.config/warp"}))
	if len(s.Sandbox.Write) > 0 {
		paths := slices.Clone(s.Sandbox.Write)
		for i, path := range paths {
			if strings.HasPrefix(path, "/") {
				paths[i] = "/" + path // a single slash is relative to the settings' folder
			}
		}
		files = files.With("allowWrite", lossless.Encode(paths, nil))
	}
	return lossless.NewObject(
		lossless.NewMember("enabled", true),
		lossless.NewMember("failIfUnavailable", true),
		lossless.NewMember("allowUnsandboxedCommands", false),
		lossless.NewMember("autoAllowBashIfSandboxed", false),
		lossless.NewMember("excludedCommands", unsandboxedCommands),
		lossless.NewMember("filesystem", files),
		lossless.NewMember("network", lossless.NewObject(lossless.NewMember("allowedDomains", hosts), lossless.NewMember("allowLocalBinding", true))))
}

var errOwnSandbox = errors.New("your sandbox section is left alone: remove it, then run warp init --sandbox again")

// putSandbox puts the section into the settings, or removes ours if want is nil. User content
// keeps every byte.
func putSandbox(text []byte, want *lossless.Value) ([]byte, error) {
	return editDocument(text, want != nil, func(text []byte, doc *lossless.Value) ([]byte, error) {
		have := doc.Get("sandbox")
		commands := have.Get("excludedCommands")
		mine := commands != nil && len(commands.Elems) > 0 && commands.Elems[0].Text() == unsandboxedCommands[0]
		switch {
		case want == nil && mine:
			return lossless.RemoveMember(text, doc, "sandbox"), nil
		case want == nil, equalValues(have, want):
			return text, nil
		case have == nil:
			return lossless.AddMember(text, doc, "sandbox", want), nil
		case !mine:
			return nil, errOwnSandbox
		}
		return lossless.ReplaceValue(text, have, want), nil
	})
}

// Where Claude Code looks for a project's MCP servers, and the name of ours.
const (
	serversFile = ".mcp.json"
	servers     = "mcpServers"
	serverName  = "warp"
)

// server returns the entry with which Claude Code starts warp mcp.
func server() *lossless.Value {
	return lossless.NewObject(lossless.NewMember("command", "warp"), lossless.NewMember("args", []string{"mcp"}))
}

var errOwnServer = errors.New("it has a server named warp that is not warp's: rename it, then run warp init --mcp again")

// mcpFile plans the registration of warp mcp, or its removal.
func (p *plan) mcpFile(wanted bool) {
	p.edit(serversFile, func(text []byte) ([]byte, error) {
		out, err := p.putOurs(serversFile, text, wanted, putServer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", serversFile, err)
		}
		return out, nil
	})
}

// putServer adds our server to the user's, or removes it; nil if nothing is left.
func putServer(text []byte, wanted bool) ([]byte, error) {
	return editDocument(text, wanted, func(text []byte, doc *lossless.Value) ([]byte, error) {
		all := doc.Get(servers)
		if doc.Kind != lossless.Object || all != nil && all.Kind != lossless.Object {
			return nil, fmt.Errorf("%s must be an object in an object", servers)
		}
		have := all.Get(serverName)
		switch mine := have != nil && equalValues(have, server()); {
		case wanted && have != nil && !mine:
			return nil, errOwnServer
		case wanted == mine:
			return text, nil
		case wanted && all == nil:
			return lossless.AddMember(text, doc, servers, lossless.NewObject(lossless.Member{Key: serverName, Value: server()})), nil
		case wanted:
			return lossless.AddMember(text, all, serverName, server()), nil
		case len(all.Members) > 1:
			return lossless.RemoveMember(text, all, serverName), nil
		}
		return lossless.RemoveMember(text, doc, servers), nil
	})
}
