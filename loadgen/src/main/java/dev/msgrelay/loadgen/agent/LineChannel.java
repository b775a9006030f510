package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Lines of JSON over one TCP connection, bounded in length, depth and, where a deadline is given, time. One thread
 * reads; any thread may send or close.
 */
final class LineChannel implements Closeable {
    /** A chunk of output whose every byte has to be written as six. */
    static final int MAX_LINE = 8 * Messages.CHUNK;

    /** Before the other side has proved who it is, its lines need not be long. */
    static final int MAX_GREETING = 4 << 10;

    /** But an agent's welcome tells all its interfaces: {@link Welcome#MAX_INTERFACES} of less than 100 bytes each. */
    static final int MAX_WELCOME = 64 << 10;

    /** No message nests deeper; the parser is recursive. */
    private static final int MAX_DEPTH = 8;

    private static final int BUFFER = 16 << 10;
    private static final int MAX_DRAINED = 64 << 10;
    private static final int DRAIN_MILLIS = 500;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER];
    private int position;
    private int limit;

    LineChannel(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /** The other side's address and port. */
    InetSocketAddress peer() {
        return (InetSocketAddress) socket.getRemoteSocketAddress();
    }

    /** This side's address and port. */
    InetSocketAddress local() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** The next message, however long it takes; null when the other side has closed. */
    JsonObject read() throws IOException {
        return parse(line(MAX_LINE, Long.MAX_VALUE));
    }

    /**
     * The next message of a greeting, which is short and has a time limit.
     *
     * @param max bytes of its line
     * @param deadline a {@link System#nanoTime}
     * @throws ProtocolException also when the time is over
     */
    JsonObject readGreeting(int max, long deadline) throws IOException {
        try {
            JsonObject message = parse(line(max, deadline));
            if (message == null) {
                throw new ProtocolException("it closed the connection");
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new ProtocolException("it did not answer in time");
        }
    }

    /** Sends one message, whole. */
    void send(JsonObject message) throws IOException {
        byte[] line = (JsonWriter.string(message) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (out) {
            out.write(line);
            out.flush();
        }
    }

    /**
     * Says why, and closes so that it is heard: what the other side still sends is read for a moment, for a close with
     * unread bytes would reset the connection and overtake the line.
     */
    void refuse(String reason) {
        try {
            send(Messages.refused(reason));
            socket.shutdownOutput();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS);
            int drained = 0;
            while (drained < MAX_DRAINED && fill(deadline)) {
                drained += limit - position;
                position = limit;
            }
        } catch (IOException e) {
            // it is gone already
        }
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing more can be done about it
        }
    }

    private String line(int max, long deadline) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            for (int i = position; i < limit; i++) {
                if (buffer[i] == '\n') {
                    line.write(buffer, position, i - position);
                    position = i + 1;
                    checkLength(line.size(), max);
                    return line.toString(StandardCharsets.UTF_8);
                }
            }
            line.write(buffer, position, limit - position);
            position = limit;
            checkLength(line.size(), max);
            if (!fill(deadline)) {
                return null;
            }
        }
    }

    private static void checkLength(int bytes, int max) throws ProtocolException {
        if (bytes > max) {
            throw new ProtocolException("a line of more than " + max + " bytes");
        }
    }

    private boolean fill(long deadline) throws IOException {
        int millis = 0;
        if (deadline != Long.MAX_VALUE) {
            millis = (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0) {
                throw new SocketTimeoutException();
            }
        }
        socket.setSoTimeout(millis);
        position = 0;
        limit = 0;
        int read = in.read(buffer);
        limit = Math.max(0, read);
        return read >= 0;
    }

    private static JsonObject parse(String line) throws ProtocolException {
        if (line == null) {
            return null;
        }
        checkDepth(line);
        try {
            return JsonParser.object().from(line);
        } catch (JsonParserException | NumberFormatException e) {
            throw new ProtocolException("'" + Messages.printable(line) + "' is no message of this protocol");
        }
    }

    private static void checkDepth(String line) throws ProtocolException {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quoted) {
                if (c == '\\') {
                    i++;
                } else if (c == '"') {
                    quoted = false;
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            }
            if (depth > MAX_DEPTH) {
                throw new ProtocolException("a message nested deeper than " + MAX_DEPTH);
            }
        }
    }
}
