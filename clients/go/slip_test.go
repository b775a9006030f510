package relay

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestFirstSlipIsTold(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	lost, connected := Lost{Err: failed(again, "connect to h:1: refused")}, Connected{Endpoint: "h:1"}
	for _, one := range []struct {
		events []Event
		lines  []string
	}{
		{[]Event{lost, lost, connected, lost, lost, connected}, []string{
			`level=WARN msg="relay: not connected yet, and trying on" error="connect to h:1: refused"`,
			`level=INFO msg="relay: connected" endpoint=h:1`,
		}},
		// A lost connection is none, but the failure to have another one is.
		{[]Event{connected, lost, connected}, nil},
		{[]Event{connected, lost, lost}, []string{
			`level=WARN msg="relay: not connected yet, and trying on" error="connect to h:1: refused"`,
		}},
		{[]Event{connected, StateComplete{2}, StateLate{}}, []string{
			`level=INFO msg="relay: the state is not complete: its types change faster than it is read" after=10s`,
		}},
	} {
		var log bytes.Buffer
		withoutTime := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
		hook := new(slip)
		for _, event := range one.events {
			hook.onEvent(event)
		}
		expect(t, strings.Fields(log.String()), strings.Fields(strings.Join(one.lines, "\n")))
	}
}
