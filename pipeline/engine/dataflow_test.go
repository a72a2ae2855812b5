package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"
)

// A job of Dataflow is followed over answers that fail for a while, until it has ended.
func TestDataflowStates(t *testing.T) {
	defer func(d time.Duration) { askEvery = d }(askEvery)
	askEvery = time.Millisecond
	var state string
	var broken, asked int // answers; of asked, the first ones are broken
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked++; {
		case strings.HasSuffix(r.URL.Path, "/messages"):
			fmt.Fprint(w, `{"jobMessages": [{"messageText": "earlier"}, {"messageText": "no quota"}]}`)
		case asked <= broken:
			http.Error(w, "not now", http.StatusNotFound) // the client itself tries again after 503
		case asked == broken+1:
			fmt.Fprint(w, `{"id": "2026-11", "currentState": "JOB_STATE_RUNNING"}`)
		default:
			fmt.Fprintf(w, `{"id": "2026-11", "currentState": "JOB_STATE_%s"}`, state)
		}
	}))
	defer server.Close()
	client, err := df.NewService(t.Context(), option.WithHTTPClient(server.Client()), option.WithEndpoint(server.URL), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	job := &dataflowJob{id: "2026-11", project: "project", region: "region", client: client}
	broken = maxUnanswered
	for name, want := range map[string]End{
		"DONE": {State: jobpb.JobState_DONE}, "CANCELLED": {State: jobpb.JobState_CANCELLED}, "DRAINED": {State: jobpb.JobState_DRAINED},
		"UPDATED": {State: jobpb.JobState_UPDATED}, "FAILED": {jobpb.JobState_FAILED, "no quota"},
	} {
		state, asked = name, 0
		if end, err := job.Wait(t.Context()); err != nil || end != want {
			t.Errorf("%s: %+v, %v", name, end, err)
		}
	}
	broken, asked = maxUnanswered+1, 0
	if end, err := job.Wait(t.Context()); err == nil {
		t.Errorf("%d failures in a row, and %+v", broken, end)
	}
}
