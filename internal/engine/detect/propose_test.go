package detect_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"warp/internal/engine/detect"
	"warp/internal/testkit/gittest"
)

// A project of several, with nothing at the top, is tested in each of its folders.
func TestPartsAreProposed(t *testing.T) {
	root := t.TempDir()
	gittest.Sh(t, root, `mkdir -p api web/app node_modules/left-pad docs 'a b' deep/er/than/that
echo module api > api/go.mod; echo '{"scripts":{"test":"node --test"}}' > web/app/package.json; echo '{"lockfileVersion":3}' > web/app/package-lock.json
cp web/app/package.json node_modules/left-pad; cp web/app/package.json docs; cp web/app/package.json 'a b'; cp web/app/package.json deep/er/than/that`)
	p := detect.Propose(root)
	if p.Tests != "(cd api && go test ./...) && (cd web/app && npm test --silent)" || !strings.HasPrefix(p.Setup, "(cd web/app && npm ci ") || p.Certain {
		t.Errorf("%+v", p)
	}
	if have := p.Commands(); len(have) != 2 || have[0] != "warp config set test_command '"+p.Tests+"'" || have[1] != "warp config set worktree_setup '"+p.Setup+"'" {
		t.Errorf("%q", have)
	}
	gittest.Sh(t, root, `rm -r web`)
	if p := detect.Propose(root); p.Setup != "" || p.Tests != "(cd api && go test ./...)" {
		t.Errorf("nothing to install: %+v", p)
	}
	gittest.Sh(t, root, `for i in $(seq 21); do mkdir p$i; echo module x > p$i/go.mod; done`)
	if p := detect.Propose(root); p.Why != "" {
		t.Errorf("too many for a command: %+v", p)
	}
	gittest.Sh(t, root, `echo module top > go.mod`)
	if p := detect.Propose(root); p.Why != "" || len(p.Commands()) > 0 {
		t.Errorf("the top says it: %+v", p)
	}
}

// A virtual environment that has what the tests need is proposed, and taken into the room.
func TestAVirtualEnvironmentIsProposed(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	gittest.Sh(t, bin, `printf '#!/bin/sh\nexit 1\n' > python3; chmod 755 python3`)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	gittest.Sh(t, root, `mkdir tests; echo 'import pytest' > tests/test_prices.py; echo '[project]' > pyproject.toml; echo > uv.lock`)
	uv := strings.Contains(gittest.Sh(t, root, "command -v uv || echo none"), "/")
	if p := detect.Propose(root); !uv && (p.Certain || !strings.Contains(p.Why, "uv is not installed, and no .venv here") || len(p.Commands()) > 0) {
		t.Errorf("%+v", p)
	}
	// Its Python can import all it is asked for.
	gittest.Sh(t, root, `rm uv.lock; mkdir -p venv/bin; printf '#!/bin/sh\nexit 0\n' > venv/bin/python; chmod 755 venv/bin/python`)
	p := detect.Propose(root)
	if !p.Certain || p.Copy != "venv" || p.Tests != "venv/bin/python -m pytest -q" || !slices.Contains(p.Commands(), "warp config set worktree_copy 'venv'") {
		t.Errorf("%+v", p)
	}
	gittest.Sh(t, root, `printf '#!/bin/sh\nexit 1\n' > venv/bin/python`)
	if p := detect.Propose(root); p.Why != "" {
		t.Errorf("one that does not run: %+v", p)
	}
}
