package relay

import "log/slog"

// The hook of a program without one: it tells its first failure to connect, and its first success after that, in a line
// each. So a program that waits for a relay at the wrong port does not do it in silence; nor does one that waits for a
// state that is never complete.
type slip struct{ hasFailed, isOver, isConnected bool }

func (s *slip) onEvent(event Event) {
	switch e := event.(type) {
	case Connected:
		if s.hasFailed && !s.isOver {
			s.isOver = true
			slog.Info("relay: connected", "endpoint", e.Endpoint)
		}
		s.isConnected = true
	case Lost:
		if !s.isConnected && !s.hasFailed {
			s.hasFailed = true
			slog.Warn("relay: not connected yet, and trying on", "error", e.Err)
		}
		s.isConnected = false
	case StateLate:
		slog.Info("relay: the state is not complete: its types change faster than it is read", "after", lateAfter)
	}
}
