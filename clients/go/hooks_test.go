package relay

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestPublisherIsCalledFromItsHook(t *testing.T) {
	relay := newFakeRelay(t)
	options := PublisherOptions{Options: relay.options(), Acks: true}
	options.Name = "orders"
	made, errs := make(chan *Publisher, 1), make(chan error)
	options.OnEvent = func(event Event) {
		if _, ok := event.(Connected); !ok {
			return
		}
		p := <-made
		ctx, cancel := context.WithTimeout(context.Background(), hang)
		defer cancel()
		errs <- p.Connected(ctx)
		errs <- p.Publish(ctx, 1, []byte("a"))
		errs <- p.Flush(ctx)
		errs <- p.Close()
	}
	p := newPublisher(t, options)
	made <- p
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	expect(t, []error{<-errs, <-errs}, []error{nil, nil})
	relay.frame(conn)
	conn.Write(ackFrame(1, 1))
	expect(t, []error{<-errs, <-errs}, []error{nil, nil})
	expect(t, p.Settled(), int64(1))
}

func TestSubscriberIsCalledFromItsHook(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options()}
	made, errs := make(chan *Subscriber, 1), make(chan error)
	options.OnEvent = func(event Event) {
		if _, ok := event.(Connected); !ok {
			return
		}
		s := <-made
		ctx, cancel := context.WithTimeout(context.Background(), hang)
		defer cancel()
		errs <- s.Connected(ctx)
		_, err := s.Types(ctx, Range{2, 3})
		errs <- err
		errs <- s.Close()
	}
	s := newSubscriber(t, options)
	made <- s
	conn := relay.accept(welcomeFrame(1, 7, 0))
	defer conn.Close()
	expect(t, <-errs, nil)
	_, body := relay.frame(conn)
	conn.Write(frame(typeSubscribed, append(body[:4:4], join(make([]byte, 4), longs(1))...)))
	expect(t, []error{<-errs, <-errs}, []error{nil, nil})
}

// Each waits for the other, but for a hook that closes.
func TestCloseFromHookAndBesideIt(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options()}
	made, within := make(chan *Subscriber, 1), make(chan struct{})
	told := false
	options.OnEvent = func(event Event) {
		if _, ok := event.(Connected); ok {
			close(within)
			(<-made).Close()
			told = true
		}
	}
	s := newSubscriber(t, options)
	defer relay.accept(welcomeFrame(1, 7, 0)).Close()
	<-within
	made <- s
	s.Close()
	// This Close has waited for the hook.
	expect(t, told, true)
}

func TestHookThatIsTooSlow(t *testing.T) {
	goOn, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var events, doubts, acks int64
	var last acked
	h := hooks{
		onEvent: func(event Event) {
			once.Do(func() { <-goOn })
			switch e := event.(type) {
			case Merged:
				events += int64(e.Events)
				doubts += e.InDoubt
			case InDoubt:
				events++
				doubts += e.Messages
			case Missed:
				events++
			case GaveUp:
				close(ended)
			}
		},
		onAck: func(number, sequence int64) {
			if number <= last.number {
				t.Errorf("number %d after %d", number, last.number)
			}
			acks, last = acks+1, acked{number, sequence}
		},
	}
	const each = 10_000
	for i := range int64(each) {
		h.tell(InDoubt{2})
		h.tell(acked{i + 1, i + 2})
		h.tell(Missed{})
		h.mu.Lock()
		if len(h.waiting) > mostWaiting {
			t.Fatalf("%d events wait", len(h.waiting))
		}
		h.mu.Unlock()
	}
	h.tell(GaveUp{})
	close(goOn)
	<-ended
	h.wait()
	expect(t, []int64{events, doubts}, []int64{2 * each, 2 * each})
	expect(t, last, acked{each, each + 1})
	if acks >= each {
		t.Error("nothing was merged")
	}
}

// Close is bounded, whatever the user's function does.
func TestHookThatNeverEnds(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options()}
	never := make(chan struct{})
	options.OnEvent = func(Event) { <-never }
	s := newSubscriber(t, options)
	defer relay.accept(welcomeFrame(1, 7, 0)).Close()
	if err := s.Connected(context.Background()); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		s.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(hang):
		t.Error("Close waits for ever")
	}
	close(never)
}
