package relay

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// A real relay with a journal, if RELAY_SERVER_JAR names its jar.
func realRelay(t *testing.T) (publish, subscribe, socket string) {
	t.Helper()
	jar := os.Getenv("RELAY_SERVER_JAR")
	if jar == "" {
		t.Skip("RELAY_SERVER_JAR names no relay-server.jar")
	}
	directory := t.TempDir()
	socket = filepath.Join(directory, "s")
	server := exec.Command("java", "-jar", jar, "--publish-port=0", "--subscribe-port=0", "--admin=none",
		"--journal="+filepath.Join(directory, "journal"), "--subscribe-socket="+socket)
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = server.Stdout
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	ports := regexp.MustCompile(`publishers (127\.0\.0\.1:\d+).*subscribers (127\.0\.0\.1:\d+)`)
	said := ""
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		said += lines.Text() + "\n"
		if found := ports.FindStringSubmatch(said); found != nil {
			go func() {
				for lines.Scan() {
				}
			}()
			return found[1], found[2], socket
		}
	}
	t.Fatal("the relay has ended: ", said)
	return "", "", ""
}

func TestRealRelay(t *testing.T) {
	publish, subscribe, socket := realRelay(t)
	t.Run("round trip", func(t *testing.T) {
		publisher := newPublisher(t, PublisherOptions{
			Options: Options{Endpoints: []string{publish}, Name: "orders"}, Acks: true, Level: LevelWritten,
		})
		for i := range 1000 {
			if err := publisher.Publish(context.Background(), 70, fmt.Appendf(nil, "%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := publisher.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, endpoint := range []string{subscribe, "unix:" + socket} {
			s := newSubscriber(t, SubscriberOptions{
				Options: Options{Endpoints: []string{endpoint}}, Types: []Range{{70, 70}}, Start: FromEarliest(),
			})
			for i, item := range take(t, s, 1000) {
				expect(t, string(item.Body), fmt.Sprint(i))
			}
			if _, err := s.Types(context.Background(), Range{8, 8}); err != nil {
				t.Error(err)
			}
		}
	})
}
