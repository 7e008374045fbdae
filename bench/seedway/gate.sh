#!/usr/bin/env bash
# The seeds' way to guard a Bash call: two hooks are registered for it. The gate
# asks jq for the tool, the command and the phase, and node whether a commit is
# allowed; the other looks whether the command leaves a key phase, for which it
# asks jq and node again.
set -u
here=$(dirname "$0")
payload=$(cat)

gate() {
  [ "$(jq -r '.tool_name // ""' <<<"$payload")" = Bash ] || return 0
  local command root
  command=$(jq -r '.tool_input.command // ""' <<<"$payload")
  root=$(jq -r '.cwd // "."' <<<"$payload")
  [ -f "$root/.claude/.warp-drive-state.json" ] || return 0
  [[ $command == *"git commit"* ]] || return 0
  node "$here/gate.js" gate "$root" git_commit >/dev/null || {
    jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "only allowed during committing phase"}}'
    return 1
  }
}

before_exit() {
  local command root
  command=$(jq -r '.tool_input.command // ""' <<<"$payload")
  root=$(jq -r '.cwd // "."' <<<"$payload")
  [ "$(jq -r '._workflow.pre_exit_verification // true' "$root/.claude/settings.local.json" 2>/dev/null)" = false ] && return 0
  node "$here/gate.js" event "$root" "$command" >/dev/null
}

gate && before_exit
