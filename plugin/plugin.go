// Package plugin holds Claude Code's side of warp: slash commands, skills and
// hooks, in the layout of a Claude Code plugin. The folder can be installed as
// a plugin as it is; warp init writes the same commands and skills into a
// project. What the hooks do is left to warp-hook.
package plugin

import "embed"

// Files are the slash commands (commands/*.md) and skills (skills/*/SKILL.md).
//
//go:embed commands skills
var Files embed.FS
