package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// PerRole is a setting with a value for each role of an agent.
type PerRole map[string]string

// others is the member for roles without a value.
const others = "default"

// roles are the roles of agents, each with the role whose value it inherits.
var roles = lazy.Table[string, string]{
	{"plan", ""}, {"code", ""}, {"fix", "code"}, {"iterate", "code"}, {"verify", ""}, {"judge", "verify"}, {"supervise", ""}, {"scan", ""}, {"choose", ""},
}

// Of returns the value of a role; "" if nothing is set.
func (p PerRole) Of(role string) string {
	for _, name := range []string{role, roles.Get(role), others} {
		if v := p[name]; v != "" {
			return v
		}
	}
	return ""
}

var efforts = []string{"low", "standard", "high"}

const (
	modelForm  = "a model's name, or an object of roles, each with one: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose"
	effortForm = "low, standard or high, or an object of roles, each with one of them: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose"
)

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
