package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The bytes of a session of a client with a relay, in the order in which they passed: text, a line for each piece.
 *
 * <pre>{@code
 * # comment
 * 1 publish          connection 1 is made, to the publish port
 * 1 > 8000000100...  the client's bytes
 * 1 < 8000000200...  the relay's
 * 2 subscribe
 * 1 end              the client has ended its side
 * }</pre>
 *
 * {@link #play} sends the client's bytes to another relay, which must answer in the same way: the same WELCOME but for
 * epoch, server and what a relay configures, the same messages, gaps and answers under the same sequences, and ACKs up
 * to the same number.
 */
public final class Transcript {
    /** Fields of WELCOME that each start, version or configuration of a relay has otherwise. */
    private static final List<String> OF_THE_RUN = List.of("epoch", "server", "max_body", "heartbeat", "idle");

    private record Line(int connection, String what, byte[] bytes) {}

    private final List<Line> lines;

    private Transcript(List<Line> lines) {
        this.lines = lines;
    }

    /** @throws IOException the file cannot be read, or a line has none of the forms */
    public static Transcript read(Path file) throws IOException {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (String text : Files.readAllLines(file, US_ASCII)) {
            number++;
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            }
            String[] words = text.split(" ");
            try {
                byte[] bytes = words.length > 2 ? HexFormat.of().parseHex(words[2]) : new byte[0];
                lines.add(new Line(Integer.parseInt(words[0]), words[1], bytes));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
            }
        }
        return new Transcript(lines);
    }

    /** Number of connections. */
    public long connections() {
        return lines.stream().mapToInt(Line::connection).distinct().count();
    }

    /**
     * Plays the client's part to another relay.
     *
     * @param patience limit on each wait for the relay
     * @throws AssertionError the relay answers otherwise
     */
    public void play(Endpoint publish, Endpoint subscribe, Duration patience) throws IOException {
        Map<Integer, Played> connections = new HashMap<>();
        try {
            for (Line line : lines) {
                Played one = connections.get(line.connection);
                switch (line.what) {
                    case "publish", "subscribe" ->
                        connections.put(
                                line.connection,
                                new Played(line.what.equals("publish") ? publish : subscribe, patience));
                    case ">" -> {
                        for (Played any : connections.values()) {
                            any.catchUp();
                        }
                        one.send(line.bytes);
                    }
                    case "<" -> one.wanted.addBytes(line.bytes);
                    case "end" -> {
                        one.catchUp();
                        one.channel.shutdownOutput();
                    }
                    default -> throw new IOException("a transcript has no line " + line.what);
                }
            }
            for (Played any : connections.values()) {
                any.catchUp();
            }
        } finally {
            for (Played any : connections.values()) {
                any.channel.close();
            }
        }
    }

    /** What a relay's frames say, without what differs from run to run and from read to read. */
    private static final class Account {
        private byte[] rest = new byte[0];
        private final List<String> said = new ArrayList<>();
        private long next;
        private long acknowledged;

        void addBytes(byte[] bytes) {
            ByteBuffer all = ByteBuffer.allocate(rest.length + bytes.length)
                    .put(rest)
                    .put(bytes)
                    .flip();
            while (all.remaining() >= 8 && all.remaining() >= 8 + all.getInt(all.position() + 4)) {
                int type = all.getInt();
                ByteBuffer body = all.slice(all.position() + 4, all.getInt(all.position()));
                all.position(all.position() + 4 + body.remaining());
                frame(FrameText.name(type), FrameText.decode(type, body));
            }
            rest = Arrays.copyOfRange(all.array(), all.position(), all.limit());
        }

        private void frame(String name, Map<String, String> fields) {
            switch (name) {
                case "WELCOME" -> {
                    next = Long.parseLong(fields.get("next"));
                    fields.keySet().removeAll(OF_THE_RUN);
                    said.add(name + " " + fields);
                }
                case "MESSAGE" -> {
                    // Those before WELCOME are the stream of a plain client: whether there are any is chance.
                    if (!said.isEmpty()) {
                        said.add("MESSAGE " + next++ + " " + fields);
                    }
                }
                case "SEQUENCE" -> next = Long.parseLong(fields.get("next"));
                case "PING" -> next = Math.max(next, Long.parseLong(fields.get("next")));
                case "GAP" -> {
                    said.add(name + " " + fields);
                    next = Long.parseLong(fields.get("to")) + 1;
                }
                case "ACK" -> acknowledged = Long.parseLong(fields.get("number"));
                case "ERROR", "GOAWAY" -> said.add(name + " " + fields.get("code"));
                case "SUBSCRIBED" -> said.add(name + " " + fields);
                default -> {}
            }
        }

        boolean covers(Account wanted) {
            return said.size() >= wanted.said.size() && acknowledged >= wanted.acknowledged;
        }
    }

    private static final class Played {
        private final SocketChannel channel;
        private final Account wanted = new Account();
        private final Account got = new Account();
        private final long patienceNanos;

        Played(Endpoint endpoint, Duration patience) throws IOException {
            channel = endpoint.open(patience);
            channel.configureBlocking(true);
            patienceNanos = patience.toNanos();
        }

        void send(byte[] bytes) throws IOException {
            ByteBuffer all = ByteBuffer.wrap(bytes);
            while (all.hasRemaining()) {
                channel.write(all);
            }
        }

        /** Reads until the relay has said as much as in the transcript. */
        void catchUp() throws IOException {
            long deadline = System.nanoTime() + patienceNanos;
            ByteBuffer some = ByteBuffer.allocate(64 << 10);
            channel.configureBlocking(false);
            while (!got.covers(wanted)) {
                int n = channel.read(some.clear());
                if (n > 0) {
                    got.addBytes(Arrays.copyOf(some.array(), n));
                } else if (n < 0 || System.nanoTime() > deadline) {
                    throw new AssertionError("the relay said " + got.said + ", acknowledged " + got.acknowledged
                            + (n < 0 ? ", and closed" : "") + "; in the transcript " + wanted.said + ", acknowledged "
                            + wanted.acknowledged);
                } else {
                    Thread.onSpinWait();
                }
            }
            channel.configureBlocking(true);
            if (!got.said.equals(wanted.said)) {
                throw new AssertionError("the relay said " + got.said + "; in the transcript " + wanted.said);
            }
        }
    }
}
