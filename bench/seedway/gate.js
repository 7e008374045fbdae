// The seeds' way to ask the state machine: may this be done now, and is this an
// event that wants the criteria confirmed? It exists to be measured against.
'use strict';
const fs = require('fs');
const path = require('path');

const [action, root, what] = process.argv.slice(2);
const state = JSON.parse(fs.readFileSync(path.join(root, '.claude', '.warp-drive-state.json'), 'utf8'));

if (action === 'gate') {
  const allowed = { git_commit: ['committing', 'doc_drift_check', 'merging', 'aborted'] };
  process.exit((allowed[what] || []).includes(state.phase) ? 0 : 1);
}
const event = /transition\s+\S+\s+(code_complete|tests_passed|requirement_done)/.exec(what);
if (event) console.log(`confirm before ${event[1]}: ${JSON.stringify(state.chunk.acs)}`);
