package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"warp/internal/core/drivestate"
	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// setting is a setting whose values read understands; field is its place in the configuration.
func setting[T any](k Key, read func(*lossless.Value) (T, bool), field func(*Workflow) *T) *Key {
	k.take = func(w *Workflow, v *lossless.Value) error {
		value, ok := read(v)
		if !ok {
			return wants(k.Accepts)
		}
		*field(w) = value
		return nil
	}
	return &k
}

// whole is a whole number in a range; of says what it counts.
func whole[N int | int64](name string, def, least, most int64, of, purpose string, field func(*Workflow) *N) *Key {
	form := fmt.Sprintf("a whole number%s from %d to %d", of, least, most)
	return setting(Key{Name: name, Purpose: purpose, Accepts: form, Default: lossless.NewInt(def)}, func(v *lossless.Value) (N, bool) {
		n, ok := v.Int()
		return N(n), ok && n >= least && n <= most
	}, field)
}

func number(name string, def, least int64, purpose string, field func(*Workflow) *int) *Key {
	return whole(name, def, least, maxLimit, "", purpose, field)
}

// maxTokens is the largest accepted number of tokens.
const maxTokens = 1_000_000_000_000

func tokens(name, purpose string, field func(*Workflow) *int64) *Key {
	return whole(name, 0, 0, maxTokens, " of tokens", purpose, field)
}

// dollars is an amount of money, stored in micro-dollars.
func dollars(name, purpose string, field func(*Workflow) *int64) *Key {
	form := fmt.Sprintf("a number of dollars from 0 to %d", maxLimit)
	return setting(Key{Name: name, Purpose: purpose, Accepts: form, Default: lossless.NewInt(0)}, func(v *lossless.Value) (int64, bool) {
		usd, err := strconv.ParseFloat(v.Raw, 64)
		return int64(math.Ceil(usd * 1e6)), v.Kind == lossless.Number && err == nil && usd >= 0 && usd <= maxLimit
	}, field)
}

func readBool(v *lossless.Value) (on, ok bool) { return v.Raw == "true", v.Kind == lossless.Bool }

func boolKey(name, purpose string, def *lossless.Value) Key {
	return Key{Name: name, Purpose: purpose, Accepts: "true or false", Choices: []string{"true", "false"}, Default: def}
}

func flag(name string, def bool, purpose string, field func(*Workflow) *bool) *Key {
	return setting(boolKey(name, purpose, lossless.Encode(def, nil)), readBool, field)
}

// optional is a flag whose absence differs from both values.
func optional(name, purpose string, field func(*Workflow) **bool) *Key {
	return setting(boolKey(name, purpose, nil), func(v *lossless.Value) (*bool, bool) {
		on, ok := readBool(v)
		return &on, ok
	}, field)
}

func choice(name, def string, of []string, purpose string, field func(*Workflow) *string) *Key {
	k := Key{Name: name, Purpose: purpose, Accepts: "one of " + strings.Join(of, ", "), Choices: of, Default: lossless.NewString(def), text: true}
	return setting(k, func(v *lossless.Value) (string, bool) {
		return v.Text(), v.Kind == lossless.String && slices.Contains(of, v.Text())
	}, field)
}

// words is a line of text without control characters, since it reaches terminals.
func words(name, purpose string, field func(*Workflow) *string) *Key {
	return setting(Key{Name: name, Purpose: purpose, Accepts: "a line of text", text: true}, func(v *lossless.Value) (string, bool) {
		return v.Text(), v.Kind == lossless.String && !strings.ContainsFunc(v.Text(), unicode.IsControl)
	}, field)
}

// texts is an array of texts; kind says how typed words become one.
func texts(name string, kind listKind, purpose string, field func(*Workflow) *[]string) *Key {
	return textsOf(name, kind, "an array of strings that are not empty", purpose, func(string) bool { return true }, field)
}

func textsOf(name string, kind listKind, form, purpose string, is func(string) bool, field func(*Workflow) *[]string) *Key {
	return setting(Key{Name: name, Purpose: purpose, Accepts: form, list: kind}, func(v *lossless.Value) ([]string, bool) {
		items := []string{}
		for _, e := range v.Elems {
			items = append(items, e.Text())
		}
		return items, v.Kind == lossless.Array && !slices.ContainsFunc(items, func(s string) bool {
			return s == "" || strings.ContainsFunc(s, unicode.IsControl) || !is(s)
		})
	}, field)
}

func wants(form string) error { return errors.New("it must be " + form) }

const (
	gatesForm     = `an object of events, each with an array of commands: strings, or {"command": …, "timeout_seconds": …}`
	reasoningForm = "an object of phases, each low, standard or high"
	levelForm     = "2 or 3"
)

func takeLevel(w *Workflow, v *lossless.Value) error {
	n, ok := v.Int()
	if !ok || n != 2 && n != 3 {
		return fmt.Errorf("it must be %s. Automation level must be 2 or 3", levelForm)
	}
	w.Level = int(n)
	return nil
}

func takeReasoning(w *Workflow, v *lossless.Value) error {
	if v.Kind != lossless.Object {
		return wants(reasoningForm)
	}
	levels := map[string]string{}
	for _, m := range v.Members {
		if !drivestate.Phase(m.Key).Known() {
			return fmt.Errorf("%q is not a phase; it must be %s", m.Key, reasoningForm)
		}
		if !slices.Contains(efforts, m.Value.Text()) {
			return fmt.Errorf("%s: it must be %s", m.Key, reasoningForm)
		}
		levels[m.Key] = m.Value.Text()
	}
	w.Reasoning = levels
	return nil
}

func takeGates(w *Workflow, v *lossless.Value) error {
	if v.Kind != lossless.Object {
		return wants(gatesForm)
	}
	gates := map[drivestate.Event][]Command{}
	for _, m := range v.Members {
		if !slices.Contains(drivestate.Table.AllEvents(), drivestate.Event(m.Key)) {
			return fmt.Errorf("%q is not an event; it must be %s", m.Key, gatesForm)
		}
		if on := drivestate.Event(m.Key); on == drivestate.Abort || on == drivestate.BudgetAbort {
			return fmt.Errorf("%s: an abort cannot have gates", m.Key)
		}
		if m.Value.Kind != lossless.Array {
			return fmt.Errorf("%s: it must be %s", m.Key, gatesForm)
		}
		for i, e := range m.Value.Elems {
			c, ok := gateCommand(e)
			if !ok {
				return fmt.Errorf("%s[%d]: it must be %s", m.Key, i, gatesForm)
			}
			gates[drivestate.Event(m.Key)] = append(gates[drivestate.Event(m.Key)], c)
		}
	}
	w.Gates = gates
	return nil
}

func gateCommand(v *lossless.Value) (Command, bool) {
	c := Command{Run: v.Text(), TimeoutSeconds: gateTimeout}
	if v.Kind == lossless.Object {
		for _, m := range v.Members {
			switch m.Key {
			case "command":
				c.Run = m.Value.Text()
			case "timeout_seconds":
				n, ok := m.Value.Int()
				if !ok || n < 1 || n > maxLimit {
					return c, false
				}
				c.TimeoutSeconds = int(n)
			default:
				return c, false
			}
		}
	}
	return c, strings.TrimSpace(c.Run) != "" && !strings.ContainsRune(c.Run, 0)
}

// PerRole is a setting with a value for each role of an agent.
type PerRole map[string]string

// others is the member for roles without a value.
const others = "default"

// roles are the roles of agents, each with the role whose value it inherits.
var roles = lazy.Table[string, string]{
	{"plan", ""}, {"code", ""}, {"fix", "code"}, {"iterate", "code"}, {"verify", ""}, {"judge", "verify"}, {"supervise", ""}, {"scan", ""}, {"choose", ""}, {"check", ""},
}

// Of returns the value of a role; "" if nothing is set.
func (p PerRole) Of(role string) string {
	return cmp.Or(p.Own(role), p[others])
}

var efforts = []string{"low", "standard", "high"}

// Roles returns the names of the roles.
func Roles() (names []string) {
	for _, r := range roles {
		names = append(names, r.Key)
	}
	return names
}

// Own returns what is set for a role itself, or for the one it inherits from; "" for what all use.
func (p PerRole) Own(role string) string { return cmp.Or(p[role], p[roles.Get(role)]) }

const (
	modelForm  = "a model's name, or an object of roles, each with one: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose, check"
	effortForm = "low, standard or high, or an object of roles, each with one of them: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose, check"
	agentForm  = "one of claude, codex, gemini, command, demo, or an object of roles, each with one: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose, check"
)

// theAgent is the agent of all roles, or of each.
func theAgent() *Key {
	const usual = "claude"
	k := perRole("agent", agentForm, "the coding agent, for all roles or for each, such as agent.verify; fix and iterate use that of code, and judge that of verify",
		func(s string) bool { return slices.Contains(Agents(), s) }, func(w *Workflow) *PerRole { return &w.RoleAgents })
	take := k.take
	k.Default, k.Choices = lossless.NewString(usual), Agents()
	k.take = func(w *Workflow, v *lossless.Value) error {
		err := take(w, v)
		if err == nil {
			w.Agent = cmp.Or(w.RoleAgents[others], usual)
			if delete(w.RoleAgents, others); len(w.RoleAgents) == 0 {
				w.RoleAgents = nil
			}
		}
		return err
	}
	return k
}

// perRole is one value, or one for each role.
func perRole(name, form, purpose string, is func(string) bool, field func(*Workflow) *PerRole) *Key {
	return &Key{Name: name, Purpose: purpose, Accepts: form, members: others,
		take: func(w *Workflow, v *lossless.Value) error {
			all := PerRole{}
			switch v.Kind {
			case lossless.String:
				all[others] = v.Text()
			case lossless.Object:
				for _, m := range v.Members {
					if _, known := roles.Find(m.Key); !known && m.Key != others {
						return fmt.Errorf("%q is not a role; it must be %s", m.Key, form)
					}
					all[m.Key] = m.Value.Text()
				}
			default:
				return wants(form)
			}
			for _, value := range all {
				if !is(value) {
					return wants(form)
				}
			}
			*field(w) = all
			return nil
		}}
}

// isModel accepts names that no agent could take for an option.
func isModel(s string) bool {
	return s != "" && !strings.HasPrefix(s, "-") && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

func isEffort(s string) bool { return slices.Contains(efforts, s) }
