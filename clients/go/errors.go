package relay

import (
	"fmt"
	"strings"
	"unicode"
)

// Kind says what to do about an [Error].
type Kind uint8

const (
	// Retry: connecting again may help. The user sees such an error only when the tries are used up.
	Retry Kind = iota
	// Fatal: the same would happen again.
	Fatal
	// Yours: the call or the option breaks a rule. It was refused before anything was sent, and the client goes on.
	Yours
)

func (k Kind) String() string {
	return [...]string{"retry", "fatal", "yours"}[k]
}

// Error is the end of a connection, of a client, or a refused call.
type Error struct {
	Kind Kind
	// Code is that of the relay's ERROR, or of the rule that the relay broke; 0: none.
	Code int
	Text string
	// Err is the cause, such as that of package net; nil: none.
	Err error

	advice advice
	// Whether the relay broke a rule; it is told so.
	broken bool
	// Whether the relay ended the connection in order, without an ERROR, before its WELCOME.
	unanswered bool
	// Whether the relay is to be asked again at once, with an older epoch or for the whole state.
	isAskedAgain bool
}

func (e *Error) Error() string { return e.Text }

func (e *Error) Unwrap() error { return e.Err }

// InDoubtError is the error of Flush and Close: not every message is settled.
type InDoubtError struct {
	// Sent is the number of messages that were handed to a socket until now.
	Sent int64
	// InDoubt is how many of these the relay has not confirmed, or with ACKS not acknowledged: it may lack them. Plain it
	// is 0, since nothing is known. Those of lost connections that a Flush has told before are left out.
	InDoubt int64
	// Unsent is the number of messages that no socket has taken yet. They go out after a Flush, not after a Close.
	Unsent int64
	// Err is why: the error of the context, or an [*Error] that ended the connection or the client.
	Err error
}

func (e *InDoubtError) Error() string {
	text := fmt.Sprintf("%d sent", e.Sent)
	if e.InDoubt > 0 {
		text += fmt.Sprintf(", %d in doubt: the relay has not confirmed them", e.InDoubt)
	}
	if e.Unsent > 0 {
		text += fmt.Sprintf("; %d not sent", e.Unsent)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

func (e *InDoubtError) Unwrap() error { return e.Err }

// Codes of ERROR that this package itself finds or handles.
const (
	codeNegativeLength   = 4
	codeOversizedLength  = 5
	codeShutdown         = 10
	codeMalformedControl = 12
	codeUnsupported      = 13
	codeProtocolOrder    = 15
	codeMessageGap       = 23
	codeNotAuthenticated = 28
	codeTLSKeyUsedUp     = 33
)

var codeNames = strings.Fields(`NONE PEER_CLOSED CONNECTION_LOST TRUNCATED_FRAME NEGATIVE_LENGTH OVERSIZED_LENGTH
	RESERVED_TYPE UNEXPECTED_INPUT SLOW_SUBSCRIBER STALLED_SUBSCRIBER SHUTDOWN INTERNAL_ERROR MALFORMED_CONTROL
	UNSUPPORTED WRONG_ROLE PROTOCOL_ORDER HANDSHAKE_TIMEOUT IDLE_TIMEOUT TOO_MANY_CONNECTIONS TOO_MANY_PUBLISHERS
	NAME_TAKEN BAD_START TOO_MANY_NAMES MESSAGE_GAP NAME_HELD MEMORY_LIMIT FRAME_TIMEOUT TOO_MANY_FROM_ADDRESS
	NOT_AUTHENTICATED NOT_PERMITTED REVOKED TLS_FAILED RATE_LIMITED TLS_KEY_USED_UP JOURNAL_FAILED`)

// What to do after the end of a connection.
type advice uint8

const (
	again advice = iota
	stop
	slowly
	few
	fewSlowly
)

func (a advice) isSlow() bool { return a == slowly || a == fewSlowly }

func (a advice) isFew() bool { return a == few || a == fewSlowly }

// The table of docs/protocol.md, "Errors".
func adviceOf(code int) advice {
	switch code {
	case 1, 2, 3, 8, 9, 10, 11, 16, 17, 25, 26, 30, 33, 34:
		return again
	case 18, 19, 27, 32:
		return slowly
	case 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29:
		return stop
	case 24:
		return fewSlowly
	}
	return few
}

func failed(how advice, format string, args ...any) *Error {
	e := &Error{Text: fmt.Errorf(format, args...).Error(), advice: how}
	if how == stop {
		e.Kind = Fatal
	}
	for _, arg := range args {
		if cause, ok := arg.(error); ok {
			e.Err = cause
		}
	}
	return e
}

func fromRelay(code int, text string) *Error {
	name := "unknown"
	if code < len(codeNames) {
		name = codeNames[code]
	}
	e := failed(adviceOf(code), "the relay: %s (%d): %s", name, code, printable(text))
	e.Code = code
	return e
}

// The error for bytes of the relay that break a rule: perhaps a passing fault, perhaps no relay at all.
func brokenRule(code int, format string, args ...any) *Error {
	how := few
	if code == codeOversizedLength || code == codeUnsupported {
		// A message over the limit is still in the stream, and an unknown frame comes again.
		how = stop
	}
	e := failed(how, format, args...)
	e.Code = code
	e.broken = true
	return e
}

func usage(format string, args ...any) *Error {
	e := failed(again, format, args...)
	e.Kind = Yours
	return e
}

// A peer's text, short and without control characters.
func printable(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
