package forge

import "strings"

// Section is what a body keeps under a name, between two comments that readers
// do not see; "": nothing.
func Section(body, name string) string {
	from, to := section(body, name)
	if from < 0 {
		return ""
	}
	begin, end := marks(name)
	return strings.Trim(body[from+len(begin):to-len(end)], "\r\n")
}

// SetSection keeps a text in a body under a name, in place of what was kept
// there, or at the body's end; "" takes the section away. No other byte of the
// body changes. Checkboxes in the text would be criteria.
func SetSection(body, name, text string) string {
	begin, end := marks(name)
	for strings.Contains(text, begin) || strings.Contains(text, end) { // it would end the section early
		text = strings.ReplaceAll(strings.ReplaceAll(text, begin, ""), end, "")
	}
	text = strings.Trim(text, "\r\n")
	block := begin + "\n" + text + "\n" + end
	from, to := section(body, name)
	switch {
	case from < 0 && text == "":
		return body
	case from < 0 && body == "":
		return block
	case from < 0:
		return body + apart + block
	case text == "":
		return strings.TrimSuffix(body[:from], apart) + body[to:]
	}
	return body[:from] + block + body[to:]
}

// apart keeps a section from being taken for part of a paragraph or a list.
const apart = "\n\n"

func marks(name string) (begin, end string) {
	return "<!-- warp:" + name + " -->", "<!-- /warp:" + name + " -->"
}

// section is where a section begins and ends; -1: there is none.
func section(body, name string) (from, to int) {
	begin, end := marks(name)
	from = strings.LastIndex(body, begin)
	if from < 0 {
		return -1, -1
	}
	length := strings.Index(body[from:], end)
	if length < 0 {
		return -1, -1
	}
	return from, from + length + len(end)
}
