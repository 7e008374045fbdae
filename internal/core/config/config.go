// Package config is the _workflow section of .claude/settings.local.json: every key with its type,
// default and accepted values. An unknown key is a warning; an invalid value is an error that names
// the file, the key and what it accepts. No default silently replaces a value. Reading and writing
// the file is left to others.
package config

import (
	"bytes"
	"errors"
	"fmt"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// File is the settings file, relative to the project's root.
const File = ".claude/settings.local.json"

// Section is the member of the file that holds the settings.
const Section = "_workflow"

// Workflow is the configuration of a project.
type Workflow struct {
	Limits           drivestate.Limits
	TestBeforeCommit bool
	AutoMerge        bool
	PreExit          bool
	DecisionMinutes  int
	Unattended       string // what to do without an answer; values as in core/questions
	Notify           string
	Desktop          *bool // nil: if there is a display
	KeepBranches     bool
	FollowPulls      *bool // nil: at level 2, and if a protected target led to the pull request
	GuidedVerifier   string
	Heartbeat        bool
	Reconcile        bool
	DevHealth        bool
	DevSeed          bool
	DocDriftGate     bool
	Gates            map[drivestate.Event][]Command
	Reasoning        map[string]string
	Level            int // 0 if not set
	TestCommand      string
	CoverageCommand  string
	Forge            string
	ReportAs         string
	Agent            string
	AgentCommand     []string
	QualityGates     []string // of the quality loop, as NAME=COMMAND
	Agents           []string
	Remote           bool // decisions go to the bridge: _rdb.enabled
	IdleSeconds      int
	SessionMicroUSD  int64 // 0: no limit, as in all that follow
	ChunkMicroUSD    int64
	DayMicroUSD      int64
	ChunkTokens      int64
	SessionTokens    int64
	DayTokens        int64
	WindowPercent    int
	Sandbox          Sandbox
	InPlace          bool     // workflows use the person's own work tree
	WorktreeSetup    string   // a command that prepares a fresh checkout for the tests
	WorktreeCopy     []string // patterns of ignored files copied to every checkout
	Protected        []string // patterns of files that decide how tests run
	RoleAgents       PerRole  // agents of single roles; Agent is that of the others
	Models           PerRole
	Efforts          PerRole
	Checks           string // what becomes of checks: off, auto, evidence
	Unproven         string // what level 3 does with criteria that nothing proves
}

// Sandbox configures how agents and the project's commands are confined.
type Sandbox struct {
	Kind      string
	Network   string
	Read      []string
	Write     []string
	Env       []string
	Hosts     []string
	Container []string
	Git       string
	Processes int
	MemoryMB  int
	FileMB    int
	DiskMB    int
	OutputMB  int
}

// Command is one verification gate.
type Command struct {
	Run            string
	TimeoutSeconds int
}

// gateTimeout is the default time limit of a gate, in seconds.
const gateTimeout = 600

// Targets returns the gates' command lines by event, as shown in the state document.
func (w Workflow) Targets() map[drivestate.Event][]string {
	out := make(map[drivestate.Event][]string, len(w.Gates))
	for on, cmds := range w.Gates {
		for _, c := range cmds {
			out[on] = append(out[on], c.Run)
		}
	}
	return out
}

// Settings are a configuration with its sources.
type Settings struct {
	Workflow
	Set      map[string]*lossless.Value // keys set in the project's file
	UserFile string                     // path of the user's file; "" if none was read
	UserSet  map[string]*lossless.Value // keys set there
	Warnings []string
	// Refused is why the configured commands may not run; nil if they may.
	Refused error
}

// Default returns the configuration of a project that sets nothing.
func Default() Workflow {
	var w Workflow
	for _, k := range Keys() {
		if k.Default != nil {
			if err := k.take(&w, k.Default); err != nil {
				panic("config: the default of " + k.Name + " is not accepted: " + err.Error())
			}
		}
	}
	return w
}

// Parse reads the text of the project's settings file; an absent file is an empty text.
func Parse(text []byte) (Settings, error) { return ParseOver("", nil, text) }

// ParseOver reads the project's settings over those of the user's file, which apply to every
// project. The user's file holds the settings directly, without a section.
func ParseOver(file string, user, project []byte) (Settings, error) {
	s := Settings{Workflow: Default(), UserFile: file, Set: map[string]*lossless.Value{}, UserSet: map[string]*lossless.Value{}}
	return s, errors.Join(s.readUser(user), s.readProject(project))
}

// EditsPerFile returns max_edits_per_file, as ParseOver reads it. Hooks need it on every edit, and
// building all settings takes a tenth of their time.
func EditsPerFile(file string, user, project []byte) (int, error) {
	var w Workflow
	k := editsPerFile()
	mine, badUser := object(file, user)
	ours, badProject := object(File, project)
	errs := []error{badUser, badProject}
	for _, v := range []*lossless.Value{k.Default, mine.Get(k.Name), ours.Get(Section).Get(k.Name)} {
		if v == nil {
			continue
		}
		if err := k.take(&w, v); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s is not accepted: %w", k.Name, lossless.AppendCompact(nil, v), err))
		}
	}
	return w.Limits.EditsPerFile, errors.Join(errs...)
}

func (s *Settings) readUser(text []byte) error {
	doc, err := object(s.UserFile, text)
	if doc == nil {
		return err
	}
	return s.take(s.UserFile, "", doc, s.UserSet)
}

func (s *Settings) readProject(text []byte) error {
	doc, err := object(File, text)
	if doc == nil {
		return err
	}
	err = s.remote(doc.Get("_rdb"))
	section := doc.Get(Section)
	if section == nil {
		return err
	}
	if section.Kind != lossless.Object {
		return errors.Join(err, fmt.Errorf("%s: %s must be an object, not %s", File, Section, section.Kind))
	}
	return errors.Join(err, s.take(File, Section+".", section, s.Set))
}

// object parses a file. It returns nil if the file is empty or invalid.
func object(file string, text []byte) (*lossless.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not valid JSON: %w", file, err)
	}
	if doc.Kind != lossless.Object {
		return nil, fmt.Errorf("%s must be an object, not %s", file, doc.Kind)
	}
	return doc, nil
}

// take applies the settings of an object over earlier ones.
func (s *Settings) take(file, prefix string, from *lossless.Value, set map[string]*lossless.Value) error {
	var errs []error
	for _, m := range from.Members {
		k := Find(m.Key)
		if k == nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %s%s is not a setting that warp knows%s", file, prefix, m.Key, suggest(m.Key)))
			continue
		}
		if err := k.take(&s.Workflow, m.Value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s%s: %s is not accepted: %w", file, prefix, k.Name, lossless.AppendCompact(nil, m.Value), err))
			continue
		}
		set[m.Key] = m.Value
	}
	return errors.Join(errs...)
}

func (s *Settings) remote(v *lossless.Value) error {
	on := v.Get("enabled")
	if v == nil || v.Kind == lossless.Object && on == nil {
		return nil
	}
	if on == nil {
		on = v
	}
	if on.Kind != lossless.Bool {
		return fmt.Errorf("%s: _rdb.enabled must be true or false, not %s", File, on.Kind)
	}
	s.Remote = on.Raw == "true"
	return nil
}

// Value returns a setting's value in force, or nil if nothing sets it.
func (s Settings) Value(k *Key) *lossless.Value {
	if v, ok := s.Set[k.Name]; ok {
		return v
	}
	if v, ok := s.UserSet[k.Name]; ok {
		return v
	}
	return k.Default
}

// Source returns where a setting comes from.
func (s Settings) Source(k *Key) string {
	if _, ok := s.Set[k.Name]; ok {
		return File
	}
	if _, ok := s.UserSet[k.Name]; ok {
		return s.UserFile
	}
	return "default"
}

func suggest(name string) string {
	var known []string
	for _, k := range Keys() {
		known = append(known, k.Name)
	}
	return text.DidYouMean(name, known)
}
