package relay

import (
	"runtime"
	"sync"
	"time"
)

const (
	// Events that wait for the user's functions; more are merged.
	mostWaiting = 256
	// Longest time in which Close waits for the user's functions.
	hookPatience = 5 * time.Second
)

// Calls a client's functions of its user one after the other, on a goroutine of their own, so that these may wait for the
// client. The goroutine lives while there is something to tell.
type hooks struct {
	onEvent func(Event)
	// Nil: nobody wants acknowledgements.
	onAck func(number, sequence int64)

	mu      sync.Mutex
	waiting []Event
	// Open while the goroutine lives; nil at first.
	idle chan struct{}
}

func (h *hooks) tell(event Event) {
	if _, isAck := event.(acked); isAck && h.onAck == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == mostWaiting {
		h.waiting[1] = merged(h.waiting[0], h.waiting[1])
		h.waiting = h.waiting[1:]
	}
	h.waiting = append(h.waiting, event)
	if h.idle == nil {
		h.idle = make(chan struct{})
		go h.run(h.idle)
	}
}

// One event for two.
func merged(first, second Event) Merged {
	sum := Merged{}
	for _, event := range []Event{first, second} {
		switch e := event.(type) {
		case Merged:
			sum.Events += e.Events
			sum.InDoubt += e.InDoubt
			if e.acked.number > 0 {
				sum.acked = e.acked
			}
		case acked:
			// It stands for those before it.
			sum.acked = e
		case InDoubt:
			sum.Events++
			sum.InDoubt += e.Messages
		default:
			sum.Events++
		}
	}
	return sum
}

func (h *hooks) run(idle chan struct{}) {
	for {
		h.mu.Lock()
		if len(h.waiting) == 0 {
			h.waiting, h.idle = nil, nil
			close(idle)
			h.mu.Unlock()
			return
		}
		event := h.waiting[0]
		h.waiting = h.waiting[1:]
		h.mu.Unlock()
		switch e := event.(type) {
		case acked:
			h.onAck(e.number, e.sequence)
		case Merged:
			if e.acked.number > 0 {
				h.onAck(e.acked.number, e.acked.sequence)
			}
			if e.Events > 0 {
				h.onEvent(e)
			}
		default:
			h.onEvent(event)
		}
	}
}

// Waits until everything is told, for a while at most. Not within one of the functions: it would wait for itself.
func (h *hooks) wait() {
	h.mu.Lock()
	idle := h.idle
	h.mu.Unlock()
	if idle == nil || isWithinHook() {
		return
	}
	over := time.NewTimer(hookPatience)
	defer over.Stop()
	select {
	case <-idle:
	case <-over.C:
	}
}

// Whether this goroutine is one that calls a user's functions, of whichever client.
func isWithinHook() bool {
	const run = "msgrelay.dev/relay.(*hooks).run"
	callers := make([]uintptr, 64)
	for skip := 0; ; skip += len(callers) {
		count := runtime.Callers(skip, callers)
		frames := runtime.CallersFrames(callers[:count])
		for {
			frame, more := frames.Next()
			if frame.Function == run {
				return true
			}
			if !more {
				break
			}
		}
		if count < len(callers) {
			return false
		}
	}
}
