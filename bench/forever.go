package main

import (
	"context"
	"path/filepath"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// forever measures a hook long after a drive has ended, in a project whose journal kept growing.
func forever(b *bench) ([]figure, error) {
	root, err := b.guarded("forever", false)
	if err != nil {
		return nil, err
	}
	d := turnstile.Open(root, turnstile.System())
	for _, on := range []drivestate.Event{drivestate.Abort, drivestate.AbortResolved} {
		if _, err := d.Fire(context.Background(), on, ""); err != nil {
			return nil, err
		}
	}
	if err := appendMany(root, 100_000, 500); err != nil {
		return nil, err
	}
	plain := payload(root, "PreToolUse", "Bash", map[string]string{"command": "go test ./... | tail -20", "description": "run the tests"})
	commit := payload(root, "PreToolUse", "Bash", map[string]string{"command": "git add a.go && git commit -m 'feat(mail): parse it'"})
	pre := payload(root, "PreToolUse", "Edit", map[string]string{"file_path": filepath.Join(root, "a.go"), "old_string": "a", "new_string": "b"})
	post := payload(root, "PostToolUse", "Edit", map[string]string{"file_path": filepath.Join(root, "a.go"), "old_string": "a", "new_string": "b"})
	m, err := raceCalls(300,
		call{[]string{b.empty}, pre, root},
		call{[]string{b.hook, "PreToolUse"}, plain, root},
		call{[]string{b.hook, "PreToolUse"}, pre, root},
		call{[]string{b.hook, "PreToolUse"}, commit, root},
		call{[]string{b.hook, "PostToolUse"}, post, root})
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "PreToolUse, 100,000 rows after a drive, against an empty program", value: ratio(m[1], m[0]), unit: "x", most: 1.4},
		{name: "PreToolUse (an edit) then, against the same", value: ratio(m[2], m[0]), unit: "x"},
		{name: "PreToolUse (git commit) then, against the same", value: ratio(m[3], m[0]), unit: "x"},
		{name: "PostToolUse (edit tracker) then, against the same", value: ratio(m[4], m[0]), unit: "x", most: 1.8},
	}, nil
}
