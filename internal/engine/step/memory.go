package step

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
)

// Answer is what is kept of an agent's result, and of what its run changed.
type Answer struct {
	Agent   string          `json:"agent"`
	End     agent.End       `json:"end"`
	Text    string          `json:"text,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Why     string          `json:"why,omitempty"`
	Do      string          `json:"do,omitempty"`      // what a person can do about a failure that is not the agent's
	Invalid string          `json:"invalid,omitempty"` // why a given result is invalid
	Session string          `json:"session,omitempty"`
	Usage   agent.Usage     `json:"usage"`
	// Limited: an account limit ended the run. It resets at Reset; zero: unknown.
	Limited bool      `json:"limited,omitempty"`
	Reset   time.Time `json:"reset,omitzero"`
	guard.Outcome
	Standing
}

// Standing is what became of an answer.
type Standing struct {
	Counted bool   `json:"counted,omitempty"` // its cost is in its owner's books
	Pending bool   `json:"pending,omitempty"` // the engine was killed before it examined what the run changed
	Empty   bool   `json:"empty,omitempty"`   // the run did nothing at all: the breaker counts it
	Asked   int    `json:"asked,omitempty"`   // how often it was asked again, because it could not be used
	Unread  string `json:"-"`                 // why it cannot be used; "": it can
}

// Failed reports whether the run failed.
func (a *Answer) Failed() bool { return a != nil && a.End != agent.Done }

// Spends reports whether a failed run is the agent's own failure.
func (a *Answer) Spends() bool { return agent.Result{End: a.End}.Spends() }

// Read decodes the structured result; false if there is none.
func (a *Answer) Read(into any) bool {
	return a != nil && a.End == agent.Done && a.Result != nil && json.Unmarshal(a.Result, into) == nil
}

// keptAnswer converts a result for storage. If redacting a secret breaks its JSON, the result is
// dropped.
func keptAnswer(res agent.Result, redact func(string) string) Answer {
	a := Answer{Agent: res.Agent, End: res.End, Text: redact(res.Text), Why: redact(res.Why), Do: res.Advice(), Invalid: res.Invalid,
		Session: res.Session, Usage: res.Usage, Limited: res.Limited(), Reset: res.Reset}
	if res.JSON != nil {
		if text := redact(string(lossless.AppendCompact(nil, res.JSON))); json.Valid([]byte(text)) {
			a.Result = json.RawMessage(text)
		}
	}
	return a
}

// Memory is what is known of work in progress: the answers of its steps and the facts between them.
// It is a file, so that an agent that answered before its engine was killed is not asked again.
type Memory struct {
	file  string
	store *durable.Store // its key signs the file

	Key     string            `json:"key"` // identifies the work; a memory with another key is discarded
	Answers map[string]Answer `json:"answers,omitempty"`
	Facts   map[string]string `json:"facts,omitempty"`
}

// envelope is a memory in its file: the signature covers the bytes of Memory.
type envelope struct {
	Mac    string          `json:"mac"`
	Memory json.RawMessage `json:"memory"`
}

// open reads a memory from its file's text. An unsigned one is rejected if there is a key: an agent
// could answer in the verifier's place.
func (m *Memory) open(text []byte, key string) bool {
	var e envelope
	if json.Unmarshal(text, &e) != nil || m.store != nil && m.store.Seal(key, e.Memory) != e.Mac {
		return false
	}
	if e.Memory != nil {
		text = e.Memory
	}
	return json.Unmarshal(text, m) == nil && m.Key == key
}

// Remember opens the memory of a piece of work; a different key gives an empty one. fresh means
// that nothing is known. A torn or unsigned file is ignored, as if the engine had been killed just
// before writing it.
func Remember(store *durable.Store, file, key string) (m *Memory, fresh bool, err error) {
	m = &Memory{file: file, store: store}
	text, err := durable.ReadPlain(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("reading the memory of %s: %w", key, err)
	}
	if err != nil || !m.open(text, key) {
		*m, fresh = Memory{file: file, store: store, Key: key}, true
	}
	if m.Answers == nil {
		m.Answers = map[string]Answer{}
	}
	if m.Facts == nil {
		m.Facts = map[string]string{}
	}
	return m, fresh, nil
}

// Save writes the memory to its file.
func (m *Memory) Save() error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if m.store != nil && m.store.Signs() {
		text = fmt.Appendf(nil, `{"mac":%q,"memory":%s}`, m.store.Seal(m.Key, text), text)
	}
	return durable.RetryBusy(func() error {
		if err := os.MkdirAll(filepath.Dir(m.file), 0o700); err != nil {
			return err
		}
		return durable.WriteNote(m.file, text)
	})
}

// Forget removes the memory when the work is done.
func (m *Memory) Forget() { _ = durable.RemoveFiles(m.file) } // no longer needed

// Keep saves the answer of a step.
func (m *Memory) Keep(name string, a Answer) error {
	m.Answers[name] = a
	return m.Save()
}

// Fact returns the saved result of a step that needs no agent, or runs do once and saves it.
func (m *Memory) Fact(name string, do func() (string, error)) (string, error) {
	if was, ok := m.Facts[name]; ok {
		return was, nil
	}
	now, err := do()
	if err != nil {
		return "", err
	}
	m.Facts[name] = now
	return now, m.Save()
}

// FactAs is Fact for a value of any type.
func FactAs[T any](m *Memory, name string, do func() (T, error)) (value T, err error) {
	text, err := m.Fact(name, func() (string, error) {
		value, err := do()
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(value)
		return string(text), err
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &value)
	}
	return value, err
}
