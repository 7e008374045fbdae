package failure

import "strings"

// mavenNames reads Maven and its Surefire.
type mavenNames struct{ tally }

func (m *mavenNames) line(text string) {
	text = strings.TrimPrefix(text, "[ERROR] ")
	if goal, ok := strings.CutPrefix(text, "Failed to execute goal "); ok {
		_, rest, _ := strings.Cut(goal, " on project ")
		if project, why, ok := strings.Cut(rest, ":"); ok && !strings.Contains(why, "There are test failures") {
			m.once(project + " [build failed]")
		}
		return
	}
	name, _, ok := strings.Cut(text, " Time elapsed:")
	if !ok || strings.HasPrefix(text, "Tests run:") || !strings.Contains(text, "<<< FAILURE!") && !strings.Contains(text, "<<< ERROR!") {
		return
	}
	m.once(surefire(strings.TrimRight(name, " -")))
}

func (m *mavenNames) end() {}

// surefire writes a method before its class, as old releases have it, behind it.
func surefire(name string) string {
	method, class, ok := strings.Cut(name, "(")
	class, closed := strings.CutSuffix(class, ")")
	if !ok || !closed || class == "" || strings.ContainsAny(method, ". ") || strings.ContainsAny(class, " ,") {
		return name
	}
	return class + "." + method
}

// gradleNames reads Gradle: "PriceTest > addsTax() FAILED".
type gradleNames struct{ tally }

func (g *gradleNames) line(text string) {
	name, ok := strings.CutSuffix(text, " FAILED")
	if !ok {
		return
	}
	if task, ok := strings.CutPrefix(name, "> Task "); ok {
		if last := task[strings.LastIndexByte(task, ':')+1:]; strings.HasPrefix(last, "compile") || strings.HasPrefix(last, "kapt") {
			g.once(task + " [build failed]")
		}
		return
	}
	if strings.Contains(name, " > ") && !strings.HasPrefix(name, " ") && !strings.HasPrefix(name, ">") {
		g.once(name)
	}
}

func (g *gradleNames) end() {}
