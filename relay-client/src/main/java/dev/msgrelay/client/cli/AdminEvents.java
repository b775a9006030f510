package dev.msgrelay.client.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * The events of a relay's admin port, as they come. A thread of its own reads them; {@link #next} is for one other thread.
 */
final class AdminEvents implements AutoCloseable {
    private static final int OK = 200;
    private static final int MOST_SAID = 200;
    private static final int MOST_LINE = 1 << 20;
    private static final int QUEUED = 8;

    private final URI admin;
    private final InputStream body;
    private final BlockingQueue<Event> queue = new ArrayBlockingQueue<>(QUEUED);

    /**
     * One event.
     *
     * @param name what it is; null: the stream has ended
     * @param data its JSON, or why the stream has ended
     */
    record Event(String name, String data) {}

    private AdminEvents(URI admin, InputStream body) {
        this.admin = admin;
        this.body = new BufferedInputStream(body);
        Thread reader = new Thread(this::read, "admin-events");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Asks for them.
     *
     * @param admin such as {@code http://127.0.0.1:7402}
     * @param token to show; null: none
     * @param trust for https; null: what the JDK trusts
     * @throws IOException naming the place, and what it answered
     */
    static AdminEvents open(URI admin, String token, SSLContext trust, Duration timeout)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(admin.resolve("/events")).timeout(timeout);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<InputStream> response;
        try {
            HttpClient.Builder client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
            if (trust != null) {
                client.sslContext(trust);
            }
            response = client.build().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new IOException("no admin port answers at " + admin + ": " + cause(e), e);
        }
        if (response.statusCode() != OK) {
            try (InputStream said = response.body()) {
                throw new IOException(admin + " answers " + response.statusCode() + ": "
                        + new String(said.readNBytes(MOST_SAID), StandardCharsets.UTF_8).strip());
            }
        }
        return new AdminEvents(admin, response.body());
    }

    /** The JDK's client leaves out the message where it is most wanted. */
    private static String cause(IOException e) {
        return e.getMessage() != null ? e.getMessage() : "connection refused";
    }

    private void read() {
        try {
            String name = "";
            while (true) {
                String line = line();
                if (line.startsWith("event: ")) {
                    name = line.substring("event: ".length());
                } else if (line.startsWith("data: ")) {
                    queue.put(new Event(name, line.substring("data: ".length())));
                }
            }
        } catch (IOException e) {
            queue.clear();
            queue.add(new Event(null, admin + " has closed the connection"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(4096);
        for (int b = body.read(); b != '\n'; b = body.read()) {
            if (b < 0 || line.size() == MOST_LINE) {
                throw new EOFException(b < 0 ? "ended" : "a line of more than " + MOST_LINE + " bytes");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /**
     * The next event; null: none within that time.
     *
     * @throws IOException the stream has ended
     */
    Event next(long millis) throws IOException, InterruptedException {
        Event event = queue.poll(millis, TimeUnit.MILLISECONDS);
        if (event != null && event.name() == null) {
            throw new IOException(event.data());
        }
        return event;
    }

    @Override
    public void close() throws IOException {
        body.close();
    }
}
