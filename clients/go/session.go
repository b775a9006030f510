package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Longest time for the last words of either side.
const linger = time.Second

// A client's state over all connections; guarded by the session's lock.
type core interface {
	handler
	// Begins a connection, and returns the bytes to send first.
	begin(l *link) []byte
	received()
	// Control frames to send on the open connection.
	output() []byte
	lost(end *Error)
	// Whether the client needs no other connection.
	finished() bool
	end(cause *Error)
}

// The goroutine of a client: connects, stays, and connects again.
type session struct {
	options *Options
	core    core
	retry   *reconnector
	ctx     context.Context
	cancel  context.CancelFunc
	// Closed when the goroutine has ended.
	done chan struct{}
	// Called with each read's frames taken, without the lock; may wait until there is room for more.
	onInput func()
	// Writes messages until the connection has ended; nil: there are none.
	write func(conn net.Conn, end <-chan struct{})
	hooks hooks
	// Of the one connection or try that there is.
	expiry expiry
	// LocalCongestion; empty: the system's.
	congestion string
	// Called when a connection has ended, and the user was told what came of it.
	onEnd func()

	mu     sync.Mutex
	conn   net.Conn
	link   *link
	chunks chunks
	// Closed at the first WELCOME or plain connection.
	welcomed chan struct{}
	failure  *Error
	// Serialises writers of the connection.
	writing turn
}

func newSession(options *Options, c core) *session {
	ctx, cancel := context.WithCancel(context.Background())
	return &session{
		options: options, core: c, retry: newReconnector(options.endpoints, *options.Reconnect),
		ctx: ctx, cancel: cancel, done: make(chan struct{}), welcomed: make(chan struct{}), writing: make(turn, 1),
		onEnd: func() {}, hooks: hooks{onEvent: options.OnEvent},
	}
}

func (s *session) run() {
	defer close(s.done)
	for s.ctx.Err() == nil {
		endpoint := s.retry.current().text
		end := s.connection()
		if s.ctx.Err() != nil {
			break
		}
		if end.isAskedAgain {
			continue
		}
		end, wait, more := s.retry.failed(end, time.Now())
		s.mu.Lock()
		finished := s.core.finished()
		s.mu.Unlock()
		if finished || !more {
			// An end behind the last message is no failure, unless the relay has a complaint. One that may pass is told by
			// Close alone, as the cause of what is in doubt; plain, nothing is known to be in doubt.
			isTold := finished && (end.Code == 0 || more && !s.options.Plain)
			s.giveUp(end, !isTold)
			return
		}
		s.hooks.tell(Lost{endpoint, end, wait})
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
		}
	}
	s.mu.Lock()
	s.core.end(usage("the client is closed"))
	s.mu.Unlock()
}

func (s *session) giveUp(why *Error, isNews bool) {
	// The client has failed before its user hears of it.
	s.mu.Lock()
	s.failure = why
	s.core.end(why)
	s.mu.Unlock()
	if isNews {
		s.hooks.tell(GaveUp{why})
	}
}

// Runs one connection to its end.
func (s *session) connection() (end *Error) {
	target := s.retry.current()
	proof, end := s.credentials()
	if end != nil {
		return end
	}
	defer func() { end = s.options.renewed(end) }()
	nextLook := s.lookAtCertificate(proof.expires)
	conn, end := s.dial(target, proof)
	if end != nil {
		return end
	}
	defer conn.Close()
	plain := s.options.Plain
	l := &link{
		endpoint: target.text, token: string(proof.token), plain: plain, isOpen: plain, maxBody: s.options.MaxBody, handler: s.core,
		chunks: &s.chunks,
	}
	s.mu.Lock()
	s.conn, s.link = conn, l
	first := s.core.begin(l)
	s.mu.Unlock()
	ended := make(chan struct{})
	var helpers sync.WaitGroup
	// The connection ends with its client; the reader below then fails.
	stopClosing := context.AfterFunc(s.ctx, func() { conn.Close() })
	defer func() {
		stopClosing()
		s.mu.Lock()
		s.conn = nil
		s.mu.Unlock()
		close(ended)
		conn.Close()
		helpers.Wait()
		s.mu.Lock()
		s.core.lost(end)
		l.close()
		s.mu.Unlock()
		s.emit(l)
		s.onEnd()
	}()
	if err := s.send(conn, first, s.options.HandshakeTimeout); err != nil {
		return failed(again, "HELLO to %s: %w", target.text, err)
	}
	if s.write != nil {
		helpers.Add(1)
		go func() {
			defer helpers.Done()
			s.write(conn, ended)
		}()
	}
	if nextLook > 0 {
		helpers.Add(1)
		go func() {
			defer helpers.Done()
			for next := nextLook; next > 0; next = s.lookAtCertificate(proof.expires) {
				select {
				case <-time.After(next):
				case <-ended:
					return
				}
			}
		}()
	}
	end = s.read(conn, l)
	if l.hasRetryAfter {
		s.retry.retryAfter(l.retryAfter)
	}
	if l.goingAway != 0 {
		s.retry.leaving(l.goingAway)
	}
	if end.broken && !l.plain {
		// Within another write a message may be half written; the relay may then read ERROR as its rest.
		if s.writing.lockWithin(s.ctx, linger) {
			conn.SetWriteDeadline(time.Now().Add(linger))
			conn.Write(encodeError(end.Code, end.Text))
			s.writing.unlock()
		}
	}
	return end
}

// Reads to the end of the connection.
func (s *session) read(conn net.Conn, l *link) *Error {
	deadline := time.Now().Add(s.options.HandshakeTimeout)
	wasOpen := false
	opened := func() {
		wasOpen = true
		l.spoke = time.Now()
		s.retry.welcomed(time.Now())
		select {
		case <-s.welcomed:
		default:
			close(s.welcomed)
		}
	}
	if l.isOpen {
		s.emit(l)
		opened()
		s.onInput()
	}
	for {
		if l.plain {
			deadline = time.Time{}
		} else if l.isOpen {
			deadline = time.Now().Add(l.idle)
		}
		conn.SetReadDeadline(deadline)
		s.mu.Lock()
		room := l.space()
		s.mu.Unlock()
		n, readErr := conn.Read(room)
		s.mu.Lock()
		end := l.received(n)
		s.core.received()
		var out []byte
		if l.hasPong && s.write == nil {
			// A publisher's PONG goes between two of its writes.
			out, l.hasPong = encodePong(l.pong), false
			l.spoke = time.Now()
		}
		if l.isOpen && !wasOpen && end == nil {
			// Changes of types that were asked for since HELLO.
			out = append(out, s.core.output()...)
		}
		s.mu.Unlock()
		s.emit(l)
		if l.isOpen && !wasOpen && end == nil {
			opened()
		}
		if l.progress && (end == nil || !end.isAskedAgain) {
			l.progress = false
			s.retry.progressed(time.Now())
		}
		if end == nil {
			if err := s.send(conn, out, l.idle); err != nil {
				end = failed(again, "answer to %s: %w", l.endpoint, err)
			}
		}
		if end == nil && readErr != nil {
			end = s.endOf(l, readErr)
		}
		s.onInput()
		if end != nil {
			return end
		}
	}
}

// Tells the relay that this client lives though it does not read, and so finds no PING to answer: PONG with the id 0, once
// a heartbeat. On the reader's goroutine. It returns the time until the next one; false: none is wanted.
func (s *session) speak() (time.Duration, bool) {
	s.mu.Lock()
	conn, l := s.conn, s.link
	s.mu.Unlock()
	if conn == nil || l.plain || !l.isOpen {
		return 0, false
	}
	if left := l.heartbeat - time.Since(l.spoke); left > 0 {
		return left, true
	}
	l.spoke = time.Now()
	if s.send(conn, encodePong(0), l.idle) != nil {
		// Perhaps a part of it was sent: nothing may follow. The reader finds the end.
		conn.Close()
		return 0, false
	}
	return l.heartbeat, true
}

// Reports what has happened.
func (s *session) emit(l *link) {
	s.mu.Lock()
	events := l.events
	l.events = nil
	s.mu.Unlock()
	for _, event := range events {
		s.hooks.tell(event)
	}
}

func (s *session) send(conn net.Conn, data []byte, timeout time.Duration) error {
	if len(data) == 0 {
		return nil
	}
	s.writing.lock()
	defer s.writing.unlock()
	conn.SetWriteDeadline(time.Now().Add(timeout))
	_, err := conn.Write(data)
	return err
}

func (s *session) endOf(l *link, err error) *Error {
	if s.ctx.Err() != nil {
		return usage("the client is closed")
	}
	// The client's own time, not the system's: ETIMEDOUT, which tells a cut link, is a time-out too.
	isLate := errors.Is(err, os.ErrDeadlineExceeded)
	switch {
	case isLate && l.isOpen:
		return failed(again, "nothing was heard of the relay at %s for %v", l.endpoint, l.idle)
	case isLate:
		return failed(again, "no WELCOME from %s within %v", l.endpoint, s.options.HandshakeTimeout)
	case errors.Is(err, io.EOF) && l.isWithinFrame():
		end := failed(again, "the relay at %s closed the connection within a frame", l.endpoint)
		end.unanswered = !l.isOpen
		return end
	case errors.Is(err, io.EOF):
		end := failed(again, "the relay at %s closed the connection", l.endpoint)
		end.unanswered = !l.isOpen
		return end
	}
	if errors.Is(err, net.ErrClosed) && l.goingAway != 0 {
		return failed(again, "the relay at %s goes away, and reads no more", l.endpoint)
	}
	// With TLS 1.3 the relay refuses a certificate behind the handshake.
	if alert := alertOf(err); alert != 0 && !l.isOpen {
		return failed(s.options.refused(alert), "TLS with %s: %w", l.endpoint, err)
	}
	return failed(again, "connection to %s lost: %w", l.endpoint, err)
}

// Tells how long this client's certificate lasts, if it is news. It returns the time to the next look; 0: there is none.
func (s *session) lookAtCertificate(ends time.Time) time.Duration {
	if ends.IsZero() {
		return 0
	}
	days, isNews, next := s.expiry.look(ends, time.Now())
	if isNews {
		s.hooks.tell(Certificate{days})
	}
	return next
}

// What the next connection proves itself with, and trusts.
func (s *session) credentials() (credentials, *Error) {
	if first := s.options.first; first != nil {
		s.options.first = nil
		return *first, nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.options.ConnectTimeout)
	defer cancel()
	read, err := s.options.credentials(ctx)
	if err != nil {
		return read, failed(again, "%w", err)
	}
	return read, nil
}

func (s *session) dial(target endpoint, proof credentials) (net.Conn, *Error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.options.ConnectTimeout)
	defer cancel()
	conn, err := s.connect(ctx, target)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, failed(again, "no connection to %s within %v: %w", target.text, s.options.ConnectTimeout, err)
		}
		return nil, failed(again, "connect to %s: %w", target.text, err)
	}
	if proof.tls == nil {
		if proof.token != nil && !isLocal(conn.RemoteAddr()) {
			conn.Close()
			return nil, failed(stop, "the token would go to %s over a link in the clear: use TLS",
				conn.RemoteAddr().String())
		}
		return conn, nil
	}
	if proof.tls.ServerName == "" {
		proof.tls.ServerName = target.host
	}
	secure := tls.Client(conn, proof.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		var refused *tls.CertificateVerificationError
		switch {
		case errors.As(err, &refused):
			return nil, failed(s.options.distrusted(err), "TLS with %s: %w", target.text, err)
		case errors.Is(err, context.DeadlineExceeded):
			return nil, failed(again, "no TLS with %s within %v: %w", target.text, s.options.ConnectTimeout, err)
		}
		return nil, failed(s.options.refused(alertOf(err)), "TLS with %s: %w", target.text, err)
	}
	return secure, nil
}

func isLocal(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// Waits for the first WELCOME, or plain connection.
func (s *session) connected(ctx context.Context) error {
	select {
	case <-s.welcomed:
		return nil
	case <-ctx.Done():
	case <-s.done:
	}
	// Of several that are true, WELCOME is what was asked about.
	select {
	case <-s.welcomed:
		return nil
	default:
	}
	select {
	case <-s.done:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failure != nil {
			return s.failure
		}
		return usage("the client is closed")
	default:
		return ctx.Err()
	}
}

// A lock that can be waited for within a time.
type turn chan struct{}

func (t turn) lock() { t <- struct{}{} }

func (t turn) unlock() { <-t }

// Whether it has the lock: neither the context nor the time has ended before.
func (t turn) lockWithin(ctx context.Context, limit time.Duration) bool {
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case t <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-over.C:
	}
	return false
}

// A signal that is there or not.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
