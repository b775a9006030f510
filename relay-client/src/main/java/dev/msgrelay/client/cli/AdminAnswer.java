package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.TlsFault;
import dev.msgrelay.protocol.text.PrintableText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * An answer by HTTP to one GET, from its head to the end of the connection. The connection is made as every client's
 * is, and the request is HTTP/1.0, whose answer is not cut into chunks. The server is not trusted: lines have a limit,
 * and the head has a deadline. One thread reads; {@link #close} may be called on any.
 */
final class AdminAnswer implements AutoCloseable {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int MOST_HEAD_LINE = 8 << 10;
    private static final int MOST_HEADERS = 100;

    /** First byte of the frames of a relay's protocol that are no messages. */
    private static final int DATA_PORT = 0x80;

    /** First byte of TLS's answer to a request in the clear. */
    private static final int TLS_ALERT = 0x15;

    private final Socket socket;
    private final InputStream in;
    private final int status;
    private final String type;

    private AdminAnswer(Socket socket, InputStream in, int status, String type) {
        this.socket = socket;
        this.in = in;
        this.status = status;
        this.type = type;
    }

    /**
     * Connects, and sends the request.
     *
     * @param place address with a host
     * @param token token to show; empty: none
     * @param tls for https; empty: in the clear
     * @param timeout time to connect, and again for the head
     * @throws IOException there is no connection, no TLS or no HTTP; the message says which
     */
    static AdminAnswer to(URI place, String token, Optional<SSLContext> tls, Duration timeout) throws IOException {
        String host = place.getHost().replaceAll("[\\[\\]]", "");
        int port = place.getPort() >= 0 ? place.getPort() : tls.isPresent() ? HTTPS_PORT : HTTP_PORT;
        Endpoint endpoint = Endpoint.tcp(host, port);
        Socket socket = endpoint.open(timeout).socket();
        try {
            socket.setSoTimeout((int) Math.max(1, timeout.toMillis()));
            if (tls.isPresent()) {
                socket = secured(socket, host, port, tls.get());
            }
            socket.getOutputStream().write(request(place, token).getBytes(StandardCharsets.ISO_8859_1));
            return head(socket, System.nanoTime() + timeout.toNanos());
        } catch (SocketTimeoutException e) {
            socket.close();
            throw new IOException("no answer within " + timeout.toMillis() + " ms", e);
        } catch (SSLException e) {
            socket.close();
            throw new IOException(TlsFault.of(endpoint, e).text(), e);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static SSLSocket secured(Socket socket, String host, int port, SSLContext context) throws IOException {
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return tls;
    }

    private static String request(URI place, String token) {
        return "GET " + place.getRawPath() + " HTTP/1.0\r\nHost: " + place.getRawAuthority()
                + "\r\nAccept: text/event-stream\r\n"
                + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n") + "\r\n";
    }

    private static AdminAnswer head(Socket socket, long deadline) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        in.mark(1);
        int first = in.read();
        if (first == DATA_PORT) {
            throw new IOException(dataPort(new DataInputStream(in)));
        }
        if (!(socket instanceof SSLSocket) && (first < 0 || first == TLS_ALERT)) {
            throw new IOException((first < 0 ? "it has closed the connection" : "it answers in TLS")
                    + "; the address of a port with TLS begins with https://");
        }
        in.reset();
        String[] status = headLine(in, deadline).split(" ", 3);
        if (!status[0].startsWith("HTTP/1.") || status.length < 2 || !status[1].matches("\\d{3}")) {
            throw new IOException("its answer is no HTTP");
        }
        String type = "text of no type";
        for (int i = 0; i <= MOST_HEADERS; i++) {
            String line = headLine(in, deadline);
            if (line.isEmpty()) {
                return new AdminAnswer(socket, in, Integer.parseInt(status[1]), type);
            }
            if (line.toLowerCase(Locale.ROOT).startsWith("content-type:")) {
                type = line.substring("content-type:".length()).strip();
            }
        }
        throw new IOException("its answer has more than " + MOST_HEADERS + " headers");
    }

    /** What a data port says: an ERROR of the relay's own protocol, whose first byte was read. */
    private static String dataPort(DataInputStream in) {
        try {
            in.skipNBytes(Integer.BYTES - 1);
            int length = in.readInt();
            if (length >= ErrorFrame.MIN_LENGTH && length <= ErrorFrame.MIN_LENGTH + ErrorFrame.MAX_TEXT) {
                return "this is a relay's port for data, not for its state: "
                        + PrintableText.line(ErrorFrame.text(ByteBuffer.wrap(in.readNBytes(length))));
            }
        } catch (IOException e) {
            // Told below.
        }
        return "its answer is no HTTP";
    }

    private static String headLine(InputStream in, long deadline) throws IOException {
        if (deadline - System.nanoTime() < 0) {
            throw new SocketTimeoutException();
        }
        String line = line(in, MOST_HEAD_LINE);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    /** The answer's first characters; waits no longer than the time-out of the head. */
    String beginning(int most) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b >= 0 && said.size() < most; b = in.read()) {
                said.write(b);
            }
        } catch (IOException e) {
            // The rest does not come.
        }
        // A character that was cut is left out.
        return said.toString(StandardCharsets.UTF_8)
                .replaceFirst("\uFFFD+$", "")
                .strip();
    }

    /**
     * Waits for the next line, and returns it.
     *
     * @throws IOException the connection has ended, or the line is longer than {@code most} bytes
     */
    String line(int most) throws IOException {
        socket.setSoTimeout(0);
        return line(in, most);
    }

    private static String line(InputStream in, int most) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.size() == most) {
                throw new EOFException(
                        b < 0
                                ? "it has closed the connection"
                                : "its answer has a line of more than " + most + " bytes");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
