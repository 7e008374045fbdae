package codex

import "encoding/json"

// tools are the tools that a request offers: their types by their names.
type tools map[string]string

// A declared tool is one that can be called, or a namespace of others.
type declared struct {
	Type  string     `json:"type"`
	Name  string     `json:"name"`
	Tools []declared `json:"tools"`
}

// offered finds the tools of a request. Older models get them in a list of its
// own, newer ones in an item of the conversation.
func offered(body []byte) (tools, error) {
	var request struct {
		Tools []declared `json:"tools"`
		Input []struct {
			Tools []declared `json:"tools"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	found := tools{}
	found.add(request.Tools)
	for _, item := range request.Input {
		found.add(item.Tools)
	}
	return found, nil
}

func (t tools) add(list []declared) {
	for _, d := range list {
		if d.Tools == nil {
			t[d.Name] = d.Type
		}
		t.add(d.Tools)
	}
}
