// The seeds' way to keep the state of a drive: read the whole file, change it,
// write it back. It does what one transition of warp does to the document, with
// no lock, no journal and no sync. It exists to be measured against.
'use strict';
const fs = require('fs');
const path = require('path');

const TRANSITIONS = {
  merging: { merged: 'awaiting_continue', merge_failed: 'merging', push_failed: 'merging', abort: 'aborted' },
  coding: { code_complete: 'updating_docs', abort: 'aborted' },
};

const [action, root, event] = process.argv.slice(2);
const file = path.join(root, '.claude', '.warp-drive-state.json');

const state = JSON.parse(fs.readFileSync(file, 'utf8'));
const settings = path.join(root, '.claude', 'settings.local.json');
const workflow = fs.existsSync(settings) ? JSON.parse(fs.readFileSync(settings, 'utf8'))._workflow || {} : {};

if (action === 'verify') {
  const gate = (state.gates || {})[event] || {};
  const targets = [...(gate.targets || []), ...((workflow.verification_gates || {})[event] || [])];
  for (const target of targets) {
    const run = require('child_process').spawnSync('sh', ['-c', target], { cwd: root });
    if (run.status !== 0) process.exit(1);
  }
  process.exit(0);
}
if (action !== 'transition') process.exit(2);

const next = (TRANSITIONS[state.phase] || {})[event];
if (!next) {
  console.error(`event ${event} is not allowed in ${state.phase}`);
  process.exit(1);
}

const now = new Date();
state.budgets.retry_count += 1;
const minutes = (now - new Date(state.session.started_at)) / 60000;
const reasons = [];
if (state.budgets.retry_count > (workflow.max_retries_per_chunk || 5)) reasons.push('retry_exceeded');
if (state.budgets.coding_cycles > (workflow.max_coding_cycles || 3)) reasons.push('coding_cycles_exceeded');
if (state.metrics.chunks_completed > (workflow.max_total_chunks || 20)) reasons.push('total_chunks_exceeded');
if (minutes > (workflow.max_session_minutes || 480)) reasons.push('session_timeout');

const to = reasons.length ? 'budget_exceeded' : next;
state.history.push({ phase: to, at: now.toISOString(), from: state.phase, event });
state.phase = to;
state.metrics.session_duration_minutes = Math.round(minutes);
fs.writeFileSync(file, JSON.stringify(state, null, 2));
console.log(JSON.stringify({ ok: true, phase: to }));
