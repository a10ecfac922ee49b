package sarif

import "fmt"

// The limits of code scanning ("SARIF support for code scanning", GitHub's documentation).
const (
	maxRuns    = 20
	maxResults = 25_000
)

// GitHubRefuses says why code scanning would not take a log, or would not show a result of it; "" if it takes it.
func GitHubRefuses(l *Log) string {
	if len(l.Runs) > maxRuns {
		return fmt.Sprintf("%d runs; at most %d are taken", len(l.Runs), maxRuns)
	}
	seen := map[string]bool{}
	for _, r := range l.Runs {
		category := r.Tool.Driver.Name
		if r.Automation != nil {
			category += " " + r.Automation.ID
		}
		if seen[category] {
			return "two runs of one tool and category: " + category
		}
		seen[category] = true
		if len(r.Results) > maxResults {
			return fmt.Sprintf("%d results; at most %d are taken", len(r.Results), maxResults)
		}
		for i := range r.Results {
			if why := r.Results[i].refused(); why != "" {
				return fmt.Sprintf("result %d, %s: %s", i, r.Results[i].RuleID, why)
			}
		}
	}
	return ""
}

func (r *Result) refused() string {
	switch {
	case r.Message.Text == "":
		return "no text"
	case len(r.Locations) == 0:
		return "no place"
	case r.Locations[0].Physical.Artifact.URI == "":
		return "no file"
	case r.Locations[0].Physical.Region.StartLine < 1:
		return "no line"
	}
	return ""
}
