package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
)

func number(name string, def, least int, purpose string, field func(*Workflow) *int) *Key {
	form := "a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(maxLimit)
	return &Key{Name: name, Purpose: purpose, Accepts: form, Default: lossless.NewInt(int64(def)),
		take: func(w *Workflow, v *lossless.Value) error {
			n, ok := v.Int()
			if !ok || n < int64(least) || n > maxLimit {
				return wants(form)
			}
			*field(w) = int(n)
			return nil
		}}
}

// dollars is an amount of money, stored in micro-dollars.
func dollars(name, purpose string, field func(*Workflow) *int64) *Key {
	form := "a number of dollars from 0 to " + strconv.Itoa(maxLimit)
	return &Key{Name: name, Purpose: purpose, Accepts: form, Default: lossless.NewInt(0),
		take: func(w *Workflow, v *lossless.Value) error {
			usd, err := strconv.ParseFloat(v.Raw, 64)
			if v.Kind != lossless.Number || err != nil || !(usd >= 0 && usd <= maxLimit) {
				return wants(form)
			}
			*field(w) = int64(math.Ceil(usd * 1e6))
			return nil
		}}
}

// maxTokens is the largest accepted number of tokens.
const maxTokens = 1_000_000_000_000

func tokens(name, purpose string, field func(*Workflow) *int64) *Key {
	form := "a whole number of tokens from 0 to " + strconv.Itoa(maxTokens)
	return &Key{Name: name, Purpose: purpose, Accepts: form, Default: lossless.NewInt(0),
		take: func(w *Workflow, v *lossless.Value) error {
			n, ok := v.Int()
			if !ok || n < 0 || n > maxTokens {
				return wants(form)
			}
			*field(w) = n
			return nil
		}}
}

func percent(name, purpose string, field func(*Workflow) *int) *Key {
	const form = "a whole number from 0 to 100"
	return &Key{Name: name, Purpose: purpose, Accepts: form, Default: lossless.NewInt(0),
		take: func(w *Workflow, v *lossless.Value) error {
			n, ok := v.Int()
			if !ok || n < 0 || n > 100 {
				return wants(form)
			}
			*field(w) = int(n)
			return nil
		}}
}

func flag(name string, def bool, purpose string, field func(*Workflow) *bool) *Key {
	const form = "true or false"
	return &Key{Name: name, Purpose: purpose, Accepts: form, Choices: []string{"true", "false"}, Default: lossless.Encode(def, nil),
		take: func(w *Workflow, v *lossless.Value) error {
			if v.Kind != lossless.Bool {
				return wants(form)
			}
			*field(w) = v.Raw == "true"
			return nil
		}}
}

func choice(name, def string, of []string, purpose string, field func(*Workflow) *string) *Key {
	form := "one of " + strings.Join(of, ", ")
	return &Key{Name: name, Purpose: purpose, Accepts: form, Choices: of, Default: lossless.NewString(def), text: true,
		take: func(w *Workflow, v *lossless.Value) error {
			if v.Kind != lossless.String || !slices.Contains(of, v.Text()) {
				return wants(form)
			}
			*field(w) = v.Text()
			return nil
		}}
}

// words is a line of text without control characters, since it reaches terminals.
func words(name, def, purpose string, field func(*Workflow) *string) *Key {
	const form = "a line of text"
	k := &Key{Name: name, Purpose: purpose, Accepts: form, text: true,
		take: func(w *Workflow, v *lossless.Value) error {
			if v.Kind != lossless.String || strings.ContainsFunc(v.Text(), unicode.IsControl) {
				return wants(form)
			}
			*field(w) = v.Text()
			return nil
		}}
	if def != "" {
		k.Default = lossless.NewString(def)
	}
	return k
}

// texts is an array of texts.
func texts(name, purpose string, field func(*Workflow) *[]string) *Key {
	return &Key{Name: name, Purpose: purpose, Accepts: listForm, list: listOfWords, take: takeList(listForm, anything, field)}
}

// commandWords is a command line, as an array of words.
func commandWords(name, purpose string, field func(*Workflow) *[]string) *Key {
	k := texts(name, purpose, field)
	k.list = commandLine
	return k
}

func wants(form string) error { return errors.New("it must be " + form) }

const (
	gatesForm     = `an object of events, each with an array of commands: strings, or {"command": …, "timeout_seconds": …}`
	reasoningForm = "an object of phases, each low, standard or high"
	levelForm     = "2 or 3"
	listForm      = "an array of strings that are not empty"
)

func takeLevel(w *Workflow, v *lossless.Value) error {
	n, ok := v.Int()
	if !ok || n != 2 && n != 3 {
		return fmt.Errorf("it must be %s. Automation level must be 2 or 3", levelForm)
	}
	w.Level = int(n)
	return nil
}

// optional is a flag whose absence differs from both values.
func optional(name, purpose string, field func(*Workflow) **bool) *Key {
	const form = "true or false"
	return &Key{Name: name, Purpose: purpose, Accepts: form, Choices: []string{"true", "false"},
		take: func(w *Workflow, v *lossless.Value) error {
			if v.Kind != lossless.Bool {
				return wants(form)
			}
			on := v.Raw == "true"
			*field(w) = &on
			return nil
		}}
}

func agentsForm() string { return "an array of agents: " + strings.Join(Agents(), ", ") }

func isAgent(s string) bool { return slices.Contains(Agents(), s) }

func anything(string) bool { return true }

func takeList(form string, is func(string) bool, field func(*Workflow) *[]string) func(*Workflow, *lossless.Value) error {
	return func(w *Workflow, v *lossless.Value) error {
		list := []string{}
		for _, e := range v.Elems {
			if e.Text() == "" || strings.ContainsFunc(e.Text(), unicode.IsControl) || !is(e.Text()) {
				return wants(form)
			}
			list = append(list, e.Text())
		}
		if v.Kind != lossless.Array {
			return wants(form)
		}
		*field(w) = list
		return nil
	}
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
			return fmt.Errorf("%s: nothing may hold up an abort", m.Key)
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
