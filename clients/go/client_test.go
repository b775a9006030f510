package relay

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Reached by a hang alone.
const hang = time.Minute

// A relay that the test plays by hand.
type fakeRelay struct {
	t        *testing.T
	listener net.Listener
}

// A fake relay, and a check that no goroutine is left at the test's end.
func newFakeRelay(t *testing.T) *fakeRelay {
	before := runtime.NumGoroutine()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		listener.Close()
		for deadline := time.Now().Add(hang); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
	return &fakeRelay{t, listener}
}

func (r *fakeRelay) options() Options {
	return Options{
		Endpoints: []string{r.listener.Addr().String()},
		Reconnect: &Reconnect{Rounds: Endless, First: time.Millisecond, Longest: time.Millisecond},
	}
}

// Accepts a connection, reads HELLO and answers.
func (r *fakeRelay) accept(reply ...[]byte) net.Conn {
	r.t.Helper()
	conn, err := r.listener.Accept()
	if err != nil {
		r.t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(hang))
	r.frame(conn)
	if _, err := conn.Write(join(reply...)); err != nil {
		r.t.Fatal(err)
	}
	return conn
}

func (r *fakeRelay) frame(conn net.Conn) (int32, []byte) {
	r.t.Helper()
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(conn, header); err != nil {
		r.t.Fatal(err)
	}
	body := make([]byte, be.Uint32(header[4:]))
	if _, err := io.ReadFull(conn, body); err != nil {
		r.t.Fatal(err)
	}
	return int32(be.Uint32(header)), body
}

func take(t *testing.T, s *Subscriber, count int) (items []Item) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	for item, err := range s.Items(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if items = append(items, item); len(items) == count {
			break
		}
	}
	return items
}

func newSubscriber(t *testing.T, options SubscriberOptions) *Subscriber {
	t.Helper()
	s, err := NewSubscriber(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newPublisher(t *testing.T, options PublisherOptions) *Publisher {
	t.Helper()
	p, err := NewPublisher(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestSubscriberOverACut(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options()})
	conn := relay.accept(welcomeFrame(1, 7, 0), frame(1, []byte("a")), gapFrame(2, 3), frame(1, []byte("b")))
	expect(t, texts(take(t, s, 2)), []string{"1:1:a", "relay.Gap{2 3 1}"})
	expect(t, []int64{s.Epoch(), s.Next(), s.Messages(), s.Bytes()}, []int64{7, 4, 1, 9})
	// Another loop goes on behind the last item.
	expect(t, texts(take(t, s, 1)), []string{"4:1:b"})
	conn.Close()
	conn = relay.accept(welcomeFrame(5, 7, 0), frame(1, []byte("c")))
	defer conn.Close()
	expect(t, texts(take(t, s, 1)), []string{"5:1:c"})
	expect(t, s.Next(), int64(6))
	s.Close()
	for range s.Items(context.Background()) {
		t.Error("an item after Close")
	}
}

func TestContextEndsTheLoopAlone(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options()})
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	for _, err := range s.Items(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	conn.Write(frame(1, []byte("a")))
	expect(t, texts(take(t, s, 1)), []string{"1:1:a"})
}

// A message is handed over once, also if its handler panics and the caller goes on.
func TestPanicInTheLoop(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options()})
	conn := relay.accept(welcomeFrame(1, 7, 0), frame(1, []byte("a")), frame(1, []byte("b")), frame(1, []byte("c")))
	defer conn.Close()
	var items []Item
	for len(items) < 3 {
		func() {
			defer func() { recover() }()
			for item, err := range s.Items(context.Background()) {
				if err != nil {
					t.Error(err)
				}
				items = append(items, item)
				panic("a fault of the user")
			}
		}()
	}
	expect(t, texts(items), []string{"1:1:a", "2:1:b", "3:1:c"})
	expect(t, []int64{s.Messages(), s.Next()}, []int64{3, 4})
}

func TestSubscriberThatGivesUp(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options()}
	gaveUp := make(chan *Error, 1)
	options.OnEvent = func(event Event) {
		if e, ok := event.(GaveUp); ok {
			gaveUp <- e.Err
		}
	}
	s := newSubscriber(t, options)
	defer relay.accept(welcomeFrame(1, 7, 0), frame(1, []byte("a")), encodeError(28, "who are you")).Close()
	var items []Item
	for range 2 {
		for item, err := range s.Items(context.Background()) {
			if err == nil {
				items = append(items, item)
				continue
			}
			var why *Error
			if !errors.As(err, &why) || why.Kind != Fatal || why.Code != 28 {
				t.Error(err)
			}
		}
	}
	expect(t, texts(items), []string{"1:1:a"})
	expect(t, (<-gaveUp).Code, 28)
	if _, err := s.Types(context.Background()); err == nil {
		t.Error("types of a subscriber that gave up")
	}
}

func TestTypesWhileLive(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options(), Types: []Range{{1, 1}}})
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	if err := s.Connected(context.Background()); err != nil {
		t.Fatal(err)
	}
	go func() {
		typ, body := relay.frame(conn)
		if typ == typeSubscribe {
			conn.Write(frame(typeSubscribed, append(body[:4:4], join(make([]byte, 4), longs(20))...)))
		}
	}()
	sequence, err := s.Types(context.Background(), Range{2, 3})
	expect(t, []any{sequence, err}, []any{int64(20), nil})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Types(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSlowReaderStopsTheReading(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options(), Buffer: 10_000})
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	message := frame(1, make([]byte, 1000))
	chunk := slices.Repeat(message, 64)
	sent := 0
	for sent < 64_000_000 {
		conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		n, err := conn.Write(chunk[sent%len(chunk):])
		sent += n
		if err != nil {
			break
		}
	}
	if sent >= 64_000_000 {
		t.Fatal("the subscriber reads on although nobody takes anything")
	}
	whole := sent / len(message)
	expect(t, len(take(t, s, whole)), whole)
}

// A message of a few bytes keeps the read buffer that it is in.
func TestReadBuffersAreBoundedToo(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options()})
	connections := 0
	for {
		patience := time.Second
		if connections == 0 {
			patience = hang
		}
		relay.listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
		conn, err := relay.listener.Accept()
		if err != nil {
			break
		}
		if connections++; connections > 20 {
			t.Fatal("the subscriber connects on although nobody takes anything")
		}
		relay.frame(conn)
		conn.Write(join(welcomeFrame(int64(connections), 7, 0), frame(1, []byte("x"))))
		conn.Close()
	}
	expect(t, len(take(t, s, connections)), connections)
}

// Gaps have no bodies, and yet take memory.
func TestGapsAreBoundedToo(t *testing.T) {
	relay := newFakeRelay(t)
	s := newSubscriber(t, SubscriberOptions{Options: relay.options()})
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	sent := int64(0)
	for sent < 2_000_000 {
		conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		var gaps []byte
		for range 1000 {
			sent++
			gaps = append(gaps, gapFrame(sent, sent)...)
		}
		if _, err := conn.Write(gaps); err != nil {
			break
		}
	}
	if sent >= 2_000_000 {
		t.Fatal("the subscriber reads on although nobody takes anything")
	}
	expect(t, texts(take(t, s, 1)), []string{"relay.Gap{1 1 1}"})
}

func TestCloseAtAnyMoment(t *testing.T) {
	relay := newFakeRelay(t)
	for i := range 50 {
		s, err := NewSubscriber(SubscriberOptions{Options: relay.options()})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 20 * time.Microsecond)
		s.Close()
		s.Close()
	}
}

func TestPublisherOverACut(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options(), Acks: true}
	options.Name = "orders"
	var mu sync.Mutex
	var told []acked
	options.OnAck = func(number, sequence int64) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, acked{number, sequence})
	}
	p := newPublisher(t, options)
	conn := relay.accept(welcomeFrame(1, 7, 4))
	for _, body := range []string{"a", "b", "c"} {
		if err := p.Publish(context.Background(), 1, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range []string{"a", "b", "c"} {
		_, got := relay.frame(conn)
		expect(t, string(got), body)
	}
	conn.Write(ackFrame(6, 60))
	for p.Settled() < 2 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := p.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	conn.Close()
	conn = relay.accept(welcomeFrame(1, 7, 6))
	defer conn.Close()
	_, got := relay.frame(conn)
	expect(t, string(got), "c")
	conn.Write(ackFrame(7, 70))
	if err := p.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, p.Close(), nil)
	mu.Lock()
	defer mu.Unlock()
	expect(t, told, []acked{{6, 60}, {7, 70}})
	expect(t, []int64{p.FirstNumber(), p.Messages(), p.Settled(), p.Bytes()}, []int64{5, 3, 3, 27})
}

// The writer may still have the connection when the answer to its last frame breaks a rule.
func TestBrokenRuleIsAnsweredBehindAWrite(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options(), Acks: true, CloseTimeout: time.Millisecond}
	options.Name = "orders"
	p := newPublisher(t, options)
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	if err := p.Connected(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.session.writing.lock()
	time.AfterFunc(50*time.Millisecond, p.session.writing.unlock)
	conn.Write(ackFrame(3, 3))
	typ, body := relay.frame(conn)
	expect(t, []int{int(typ), int(be.Uint16(body))}, []int{int(typeError), codeProtocolOrder})
}

func TestPublisherWaitsForRoom(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options(), Acks: true, Buffer: 32}
	options.Name, options.MaxBody = "orders", 8
	p := newPublisher(t, options)
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	body := make([]byte, 8)
	for _, want := range []bool{true, true, false} {
		ok, err := p.Offer(1, body)
		expect(t, []any{ok, err}, []any{want, nil})
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := p.Publish(ctx, 1, body); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	published := make(chan error)
	go func() { published <- p.Publish(context.Background(), 1, body) }()
	relay.frame(conn)
	conn.Write(ackFrame(1, 1))
	if err := <-published; err != nil {
		t.Error(err)
	}
	relay.frame(conn)
	relay.frame(conn)
	conn.Write(ackFrame(3, 3))
	if err := p.Flush(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestContextThatIsOver(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	relay := newFakeRelay(t)
	p := newPublisher(t, PublisherOptions{Options: relay.options()})
	defer relay.accept(welcomeFrame(1, 7, 0)).Close()
	s := newSubscriber(t, SubscriberOptions{Options: relay.options()})
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	for _, err := range []error{p.Connected(context.Background()), s.Connected(context.Background())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// What is drawn by lot would fail once.
	for range 100 {
		expect(t, p.Publish(over, 1, []byte("late")), context.Canceled)
		expect(t, []error{p.Connected(over), s.Connected(over)}, []error{nil, nil})
		_, err := s.Types(over, Range{1, 2})
		expect(t, err, context.Canceled)
	}
	expect(t, []int64{p.Messages(), p.Bytes()}, []int64{0, 0})
	// Nothing but this was asked.
	types, cancelTypes := context.WithCancel(context.Background())
	defer cancelTypes()
	go s.Types(types, Range{3, 4})
	typ, body := relay.frame(conn)
	expect(t, []any{typ, body[4:6], len(body)}, []any{int32(typeSubscribe), []byte{0, 1}, 16})
	expect(t, body[8:], []byte{0, 0, 0, 3, 0, 0, 0, 4})
}

func TestCloseTellsWhatWasNotSettled(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options(), Acks: true, CloseTimeout: 20 * time.Millisecond}
	options.Name = "orders"
	p := newPublisher(t, options)
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	if err := p.Publish(context.Background(), 1, nil); err != nil {
		t.Fatal(err)
	}
	relay.frame(conn)
	var doubt *InDoubtError
	if err := p.Close(); !errors.As(err, &doubt) || doubt.Sent != 1 || doubt.InDoubt != 1 || doubt.Unsent != 0 {
		t.Error(err)
	}
	expect(t, p.Close(), error(doubt))
	var why *Error
	if err := p.Publish(context.Background(), 1, nil); !errors.As(err, &why) || why.Kind != Yours {
		t.Error(err)
	}
}

func TestLastWordToAPlainPublisher(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options()}
	options.Plain = true
	events := make(chan Event, 10)
	options.OnEvent = func(event Event) { events <- event }
	p := newPublisher(t, options)
	if err := p.Publish(context.Background(), 1, []byte("a")); err != nil {
		t.Fatal(err)
	}
	conn := relay.accept()
	defer conn.Close()
	time.AfterFunc(10*time.Millisecond, func() { conn.Write(encodeError(7, "the wrong port")) })
	expect(t, p.Close(), nil)
	close(events)
	var last Event
	for last = range events {
	}
	if e, ok := last.(GaveUp); !ok || e.Err.Code != 7 {
		t.Errorf("%v", last)
	}
}

func TestManyGoroutinesPublish(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options(), Acks: true, Buffer: 1000}
	options.Name, options.MaxBody = "orders", 100
	p := newPublisher(t, options)
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	const each, all = 500, 2000
	for range all / each {
		go func() {
			for range each {
				if err := p.Publish(context.Background(), 1, make([]byte, 20)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for number := int64(1); number <= all; number++ {
		relay.frame(conn)
		conn.Write(ackFrame(number, number))
	}
	if err := p.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, p.Settled(), int64(all))
}

func TestSilentRelay(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options()}
	// Also the limit on the write of HELLO.
	options.HandshakeTimeout = time.Second
	options.Reconnect.Rounds = 0
	s := newSubscriber(t, options)
	defer relay.accept().Close()
	if err := s.Connected(context.Background()); err == nil || !strings.Contains(err.Error(), "no WELCOME") {
		t.Error(err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	subscriber := func(change func(*SubscriberOptions)) func() error {
		return func() error {
			options := SubscriberOptions{Options: Options{Endpoints: []string{"127.0.0.1:1"}}}
			change(&options)
			_, err := NewSubscriber(options)
			return err
		}
	}
	publisher := func(change func(*PublisherOptions)) func() error {
		return func() error {
			options := PublisherOptions{Options: Options{Endpoints: []string{"127.0.0.1:1"}}}
			change(&options)
			_, err := NewPublisher(options)
			return err
		}
	}
	id := make([]byte, 16)
	cases := map[string]func() error{
		"no endpoint":     subscriber(func(o *SubscriberOptions) { o.Endpoints = nil }),
		"port 0":          subscriber(func(o *SubscriberOptions) { o.Endpoints = []string{"h:0"} }),
		"no port":         subscriber(func(o *SubscriberOptions) { o.Endpoints = []string{"h"} }),
		"long name":       subscriber(func(o *SubscriberOptions) { o.Name = strings.Repeat("ü", 128) }),
		"control in name": subscriber(func(o *SubscriberOptions) { o.Name = "a\x1b" }),
		"no UTF-8":        subscriber(func(o *SubscriberOptions) { o.Name = "\xff" }),
		"empty token":     subscriber(func(o *SubscriberOptions) { o.Token = []byte{} }),
		"two tokens":      subscriber(func(o *SubscriberOptions) { o.Token, o.TokenFile = []byte("x"), "/none" }),
		"no token file":   subscriber(func(o *SubscriberOptions) { o.TokenFile = "/none" }),
		"no token today": subscriber(func(o *SubscriberOptions) {
			o.TokenFunc = func(context.Context) ([]byte, error) { return nil, errors.New("none") }
		}),
		"short heartbeat":  subscriber(func(o *SubscriberOptions) { o.Heartbeat = time.Millisecond }),
		"long heartbeat":   subscriber(func(o *SubscriberOptions) { o.Heartbeat = 2 * time.Hour }),
		"negative timeout": subscriber(func(o *SubscriberOptions) { o.ConnectTimeout = -1 }),
		"max body":         subscriber(func(o *SubscriberOptions) { o.MaxBody = maxBody + 1 }),
		"rounds":           subscriber(func(o *SubscriberOptions) { o.Reconnect = &Reconnect{-2, 1, 1, 0} }),
		"jitter":           subscriber(func(o *SubscriberOptions) { o.Reconnect = &Reconnect{0, 1, 1, 2} }),
		"CA":               subscriber(func(o *SubscriberOptions) { o.TLS = &TLS{CA: "/none"} }),
		"TLS over unix": subscriber(func(o *SubscriberOptions) {
			o.Endpoints, o.TLS = []string{"unix:/x"}, &TLS{}
		}),
		"reserved types":  subscriber(func(o *SubscriberOptions) { o.Types = []Range{{typeHello, 1}} }),
		"backwards":       subscriber(func(o *SubscriberOptions) { o.Types = []Range{{2, 1}} }),
		"many ranges":     subscriber(func(o *SubscriberOptions) { o.Types = make([]Range, 1025) }),
		"sequence 0":      subscriber(func(o *SubscriberOptions) { o.Start = FromSequence(0, 0) }),
		"plain with name": subscriber(func(o *SubscriberOptions) { o.Plain, o.Name = true, "x" }),
		"plain start":     subscriber(func(o *SubscriberOptions) { o.Plain, o.Start = true, FromEarliest() }),
		"no name":         publisher(func(o *PublisherOptions) { o.Acks = true }),
		"id without acks": publisher(func(o *PublisherOptions) { o.Producer = randomID() }),
		"id of zeros":     publisher(func(o *PublisherOptions) { o.Acks, o.Name, o.Producer = true, "x", id }),
		"short id":        publisher(func(o *PublisherOptions) { o.Acks, o.Name, o.Producer = true, "x", id[:3] }),
		"plain with acks": publisher(func(o *PublisherOptions) { o.Plain, o.Acks = true, true }),
		"level":           publisher(func(o *PublisherOptions) { o.Level = LevelForced }),
		"small buffer":    publisher(func(o *PublisherOptions) { o.Buffer = 1000 }),
		"negative number": publisher(func(o *PublisherOptions) { o.Acks, o.Name, o.FirstNumber = true, "x", -1 }),
	}
	for name, make := range cases {
		t.Run(name, func(t *testing.T) {
			var why *Error
			if err := make(); !errors.As(err, &why) || why.Kind != Yours {
				t.Error(err)
			}
		})
	}
}

func TestProducerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "id")
	first, err := keptID(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := keptID(path)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, again, first)
	info, _ := os.Stat(path)
	expect(t, info.Mode().Perm(), os.FileMode(0o600))
	for _, content := range []string{"", "no digits", strings.Repeat("0", 31), strings.Repeat("0", 34)} {
		os.WriteFile(path, []byte(content), 0o600)
		if _, err := keptID(path); err == nil || err.Kind != Yours {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestReconnector(t *testing.T) {
	lost := failed(again, "lost")
	now := time.Now()
	make := func(rounds int, names ...string) *reconnector {
		var endpoints []endpoint
		for _, name := range names {
			endpoints = append(endpoints, endpoint{text: name})
		}
		policy := *DefaultReconnect()
		policy.Rounds = rounds
		r := newReconnector(endpoints, policy)
		r.uniform = func() float64 { return 0 }
		return r
	}
	waits := func(r *reconnector, count int, end *Error) (all []time.Duration) {
		for range count {
			_, wait, more := r.failed(end, now)
			if !more {
				return append(all, -1)
			}
			all = append(all, wait/time.Millisecond)
		}
		return all
	}
	expect(t, waits(make(Endless, "a"), 9, lost), []time.Duration{100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000})
	expect(t, waits(make(Endless, "a"), 1, fromRelay(18, "")), []time.Duration{10000})
	expect(t, waits(make(Endless, "a"), 9, failed(few, "perhaps")), []time.Duration{100, 200, 400, 800, 1600, -1})
	expect(t, waits(make(1, "a", "b"), 9, lost), []time.Duration{0, 100, 0, -1})
	expect(t, waits(make(0, "a"), 9, lost), []time.Duration{-1})
	expect(t, waits(make(Endless, "a"), 9, fromRelay(28, "")), []time.Duration{-1})
	unanswered := failed(again, "end")
	unanswered.unanswered = true
	silent := make(Endless, "a")
	expect(t, waits(silent, 2, unanswered), []time.Duration{100, 200})
	told, wait, more := silent.failed(unanswered, now)
	expect(t, []any{wait, more}, []any{400 * time.Millisecond, true})
	if !strings.Contains(told.Text, "Options.Plain") || told.Kind != Retry || !errors.Is(told, unanswered) {
		t.Error(told)
	}

	full := fromRelay(18, "")
	polite := make(Endless, "a")
	for _, want := range []time.Duration{300, 300, 400} {
		polite.retryAfter(300 * time.Millisecond)
		expect(t, waits(polite, 1, full), []time.Duration{want})
	}
	expect(t, waits(polite, 1, full), []time.Duration{10000})
	for told, want := range map[int]int{4: 6, 9: 10, 10: 10, 3600: 5} {
		r := make(Endless, "a")
		r.uniform = func() float64 { return 1 }
		r.retryAfter(time.Duration(told) * time.Second)
		expect(t, waits(r, 1, full), []time.Duration{time.Duration(want) * 1000})
	}
	two := make(Endless, "a", "b")
	two.retryAfter(2 * time.Second)
	expect(t, waits(two, 3, lost), []time.Duration{0, 2000, 0})

	steady := make(Endless, "a")
	waits(steady, 5, lost)
	steady.welcomed(now)
	steady.progressed(now.Add(11 * time.Second))
	expect(t, waits(steady, 1, lost), []time.Duration{100})

	for code, want := range map[int]string{0: "a", codeShutdown: "b", codeTLSKeyUsedUp: "a"} {
		r := make(Endless, "a", "b")
		r.welcomed(now)
		r.progressed(now)
		if code != 0 {
			r.leaving(code)
		}
		r.failed(lost, now)
		expect(t, r.current().text, want)
	}
}

// The PINGs of a relay lie behind what is not read; and no pause is as long as a heartbeat.
func TestSlowReaderSpeaksUnasked(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options(), Buffer: 10_000}
	s := newSubscriber(t, options)
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	go func() {
		for chunk := slices.Repeat(frame(1, make([]byte, 1000)), 300); ; {
			if _, err := conn.Write(chunk); err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		for _, err := range s.Items(ctx) {
			if err != nil {
				return
			}
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return
			}
		}
	}()
	for range 3 {
		typ, body := relay.frame(conn)
		expect(t, []any{typ, body}, []any{int32(typePong), make([]byte, 8)})
	}
	cancel()
	<-reading
}
