package dev.msgrelay.server.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Locale;

/** Requests as bytes, and what came back until the connection's end. */
public final class Http {
    private static final int PATIENCE_MILLIS = Await.LIMIT_MILLIS;

    private Http() {}

    public record Reply(int status, String head, String body) {
        /** Fails unless it has this status. */
        public Reply is(int wanted) {
            assertThat(status).as("status of %s", body).isEqualTo(wanted);
            return this;
        }

        public void assertIs(int wanted, String bodyStart) {
            assertThat(is(wanted).body).startsWith(bodyStart);
        }

        /** The value of a header; empty where there is none. */
        public String header(String name) {
            return head.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    public static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    /** What an ordinary client asks. */
    public static String request(String method, String path, String... headers) {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n");
        Arrays.stream(headers).forEach(h -> request.append(h).append("\r\n"));
        return request.append("\r\n").toString();
    }

    public static Reply get(InetSocketAddress admin, String path, String... headers) throws IOException {
        return send(admin, request("GET", path, headers));
    }

    public static Reply post(InetSocketAddress admin, String path, String... headers) throws IOException {
        return send(admin, request("POST", path, headers));
    }

    public static Reply send(InetSocketAddress admin, String bytes) throws IOException {
        try (Socket socket = ask(admin, bytes)) {
            return reply(socket);
        }
    }

    /** Whatever the bytes are; the answer is for the caller to read. */
    public static Socket ask(InetSocketAddress admin, String bytes) throws IOException {
        Socket socket = connect(admin);
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
        return socket;
    }

    public static Socket connect(InetSocketAddress admin) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(admin, PATIENCE_MILLIS);
        return socket;
    }

    public static Reply reply(Socket socket) throws IOException {
        String all = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        int end = all.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new IOException("no whole answer: '" + all + "'");
        }
        return new Reply(Integer.parseInt(all.split(" ", 3)[1]), all.substring(0, end), all.substring(end + 4));
    }
}
