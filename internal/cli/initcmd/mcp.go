package initcmd

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/lossless"
)

// Where Claude Code finds the MCP servers of a project, and what ours is called there.
const (
	serversFile = ".mcp.json"
	servers     = "mcpServers"
	serverName  = "warp"
)

// server is warp mcp, as Claude Code starts it.
func server() *lossless.Value {
	return lossless.NewObject(lossless.Member{Key: "command", Value: lossless.NewString("warp")}, lossless.Member{Key: "args", Value: words([]string{"mcp"})})
}

var errOwnServer = errors.New("it has a server named warp that is not warp's: rename it, then run warp init --mcp again")

// mcpFile plans the registration of warp mcp, or takes it back.
func (p *plan) mcpFile(wanted bool) error {
	return p.edit(serversFile, func(text []byte) ([]byte, error) {
		out, err := putServer(text, wanted)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", serversFile, err)
		}
		return p.account(serversFile, text, out, !wanted, func(text []byte) []byte {
			bare, err := putServer(text, false)
			if err != nil {
				return text
			}
			return bare
		}), nil
	})
}

// putServer puts our server beside the user's, or takes it out; nil: nothing is left.
func putServer(text []byte, wanted bool) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		if !wanted {
			return text, nil
		}
		text = []byte("{}\n")
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	all := doc.Get(servers)
	if doc.Kind != lossless.Object || all != nil && all.Kind != lossless.Object {
		return nil, fmt.Errorf("%s must be an object in an object", servers)
	}
	have := all.Get(serverName)
	at := func(of *lossless.Value, key string) int {
		return slices.IndexFunc(of.Members, func(m lossless.Member) bool { return m.Key == key })
	}
	switch mine := have != nil && same(have, server()); {
	case wanted && have != nil && !mine:
		return nil, errOwnServer
	case wanted == mine, !wanted && !mine:
		return text, nil
	case wanted && all == nil:
		return lossless.AddMember(text, doc, servers, lossless.NewObject(lossless.Member{Key: serverName, Value: server()})), nil
	case wanted:
		return lossless.AddMember(text, all, serverName, server()), nil
	case len(all.Members) > 1:
		return lossless.RemoveItem(text, all, at(all, serverName)), nil
	}
	if text = lossless.RemoveItem(text, doc, at(doc, servers)); bytes.Equal(bytes.TrimSpace(text), []byte("{}")) {
		return nil, nil
	}
	return text, nil
}
