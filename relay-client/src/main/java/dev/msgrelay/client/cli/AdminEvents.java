package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** The events of a relay's admin port. A thread of its own reads them; one other thread calls {@link #next}. */
final class AdminEvents implements AutoCloseable {
    private static final int OK = 200;
    private static final int MOST_SAID = 200;
    private static final String EVENTS = "text/event-stream";
    private static final int MOST_LINE = 1 << 20;
    private static final int QUEUED = 8;

    private final URI admin;
    private final AdminAnswer answer;
    private final BlockingQueue<Event> queue = new ArrayBlockingQueue<>(QUEUED);

    /**
     * One event.
     *
     * @param isEnd whether the stream has ended, of which {@code data} is the reason
     * @param data the event's JSON
     */
    record Event(boolean isEnd, String name, String data) {}

    private AdminEvents(URI admin, AdminAnswer answer) {
        this.admin = admin;
        this.answer = answer;
        Thread reader = new Thread(this::read, "admin-events");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Connects, and asks for the events.
     *
     * @param admin address such as {@code http://127.0.0.1:7402}
     * @param token token to show; empty: none
     * @param tls for https; empty: in the clear
     * @throws IOException there is no admin port; the message has the address and its answer
     */
    static AdminEvents open(URI admin, String token, Optional<SSLContext> tls, Duration timeout) throws IOException {
        AdminAnswer answer;
        try {
            answer = AdminAnswer.to(admin.resolve("/events"), token, tls, timeout);
        } catch (IOException e) {
            throw new IOException("no admin port answers at " + admin + ": " + e.getMessage(), e);
        }
        boolean refused = answer.status() != OK;
        if (!refused && answer.type().toLowerCase(Locale.ROOT).startsWith(EVENTS)) {
            return new AdminEvents(admin, answer);
        }
        try (answer) {
            throw new IOException(
                    refused
                            ? admin + " answers " + answer.status() + ": " + answer.beginning(MOST_SAID)
                            : "this is no relay's admin port: " + admin + " answers with "
                                    + ShortText.cut(answer.type(), MOST_SAID));
        }
    }

    private void read() {
        try {
            queueEvents();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void queueEvents() throws InterruptedException {
        try {
            String name = "";
            while (true) {
                String line = answer.line(MOST_LINE);
                if (line.startsWith("event: ")) {
                    name = line.substring("event: ".length());
                } else if (line.startsWith("data: ")) {
                    queue.put(new Event(false, name, line.substring("data: ".length())));
                }
            }
        } catch (IOException e) {
            queue.put(new Event(true, "", admin + " has closed the connection"));
        }
    }

    /**
     * The next event; empty: there was none within {@code millis} ms.
     *
     * @throws IOException the stream has ended
     */
    Optional<Event> next(long millis) throws IOException, InterruptedException {
        Optional<Event> event = Optional.ofNullable(queue.poll(millis, TimeUnit.MILLISECONDS));
        if (event.isPresent() && event.get().isEnd()) {
            throw new IOException(event.get().data());
        }
        return event;
    }

    @Override
    public void close() throws IOException {
        answer.close();
    }
}
