#!/usr/bin/env bash
# The seeds' way to a transition from a hook, step by step what warp does in
# one: bash asks jq for the phase and the settings, node verifies the event's
# gates, node moves the state machine, jq reads the result for the message.
set -u
root=$1 event=$2
state=$root/.claude/.warp-drive-state.json
[ -f "$state" ] || exit 2
phase=$(jq -r '.phase // "idle"' "$state")
limit=$(jq -r '._workflow.max_retries_per_chunk // 5' "$root/.claude/settings.local.json")
[ -n "$phase" ] && [ -n "$limit" ] || exit 1
machine=$(dirname "$0")/state-machine.js
node "$machine" verify "$root" "$event" || exit 1
node "$machine" transition "$root" "$event" >/dev/null || exit 1
jq -r '"[warp-drive] \(.phase) -- chunk \(.chunk.index)/\(.chunk.total) for #\(.requirement)"' "$state"
