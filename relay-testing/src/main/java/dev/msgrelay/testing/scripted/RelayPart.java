package dev.msgrelay.testing.scripted;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The relay's part of a case: its ports, the connection that was accepted last, and the steps on it. */
final class RelayPart {
    private static final Path TLS_FILES = Path.of("../tls");
    private static final long FLOOD_PAUSE_MS = 500;
    private static final long PAUSES_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int ACKS_AND_SEQUENCES = 3;
    private static final int REMEMBERED = 12;
    private static final int LINE = 200;

    /** A WELCOME that has one of these fields grants its feature. */
    private static final Map<String, Integer> GRANTS =
            Map.of("epochs", 1 << 6, "interval", 1 << 3, "address", 1 << 4, "identity", 1 << 4);

    /** Timers of some languages end a millisecond early. */
    private static final long EARLY_MS = 2;

    private record Listener(ScriptedRelay relay, String kind, String certificate) {}

    private final Case played;
    private final Variables variables;
    private final Path directory;
    private final Map<String, Listener> listeners = new LinkedHashMap<>();
    private final List<Peer> peers = new ArrayList<>();
    private final Deque<Optional<Peer.Frame>> last = new ArrayDeque<>();
    private Peer peer;
    private int wanted;
    // Before the last step that has sent anything.
    private long sentNanos;
    // The id of a PING that the case expected and has not answered; null: none.
    private String unanswered;

    /** @param directory of the Unix sockets */
    RelayPart(Case played, Variables variables, Path directory) throws IOException {
        this.played = played;
        this.variables = variables;
        this.directory = directory;
        for (Case.Step step : played.steps()) {
            if (step.verb().equals("listen")) {
                List<String> words = step.words();
                listeners.put(words.get(0), listener(words.get(1), words.size() > 2 ? words.get(2) : "server"));
            }
        }
        if (listeners.isEmpty()) {
            listeners.put("a", listener("tcp", "server"));
        }
    }

    /** The frames that the client sent last, one a line. */
    String lastFrames() {
        return last.stream()
                .map(frame -> frame.map(Peer.Frame::toString).orElse("the end"))
                .map(text -> text.length() > LINE ? text.substring(0, LINE) + "..." : text)
                .collect(Collectors.joining("\n    "));
    }

    /** The addresses of the case's relays, by their names. */
    Map<String, String> endpoints() {
        Map<String, String> all = new LinkedHashMap<>();
        listeners.forEach(
                (name, listener) -> all.put(name, listener.relay.endpoint().toString()));
        return all;
    }

    /** Plays a step; false: the verb is not one of the relay's. */
    boolean play(String verb, List<String> words) throws Exception {
        if (verb.startsWith("send")) {
            sentNanos = System.nanoTime();
        }
        switch (verb) {
            case "listen" -> {}
            case "accept" ->
                accept(words.isEmpty() ? listeners.keySet().iterator().next() : words.get(0), false);
            case "accept-after" -> {
                accept(
                        words.size() > 1
                                ? words.get(1)
                                : listeners.keySet().iterator().next(),
                        false);
                checkWaited(Long.parseLong(words.get(0)));
            }
            case "accept-fails" ->
                accept(words.isEmpty() ? listeners.keySet().iterator().next() : words.get(0), true);
            case "refuse" -> listeners.get(words.get(0)).relay.stop();
            case "expect" -> expect(words);
            case "expect-messages" -> expectMessages(words);
            case "read-to" -> readTo(words);
            case "send" -> peer.send(frames(words));
            case "send-in" -> sendPieces(frames(words.subList(1, words.size())), Integer.parseInt(words.get(0)));
            case "send-cut" -> {
                ByteBuffer all = frames(words.subList(1, words.size()));
                int at = Math.min(Integer.parseInt(words.get(0)), all.remaining());
                peer.send(all.slice(0, at));
                pause();
                peer.send(all.slice(at, all.remaining() - at));
            }
            case "send-part" -> {
                ByteBuffer all = frames(words.subList(1, words.size()));
                peer.send(all.slice(0, Math.min(Integer.parseInt(words.get(0)), all.remaining())));
            }
            case "send-many" -> sendMany(words);
            case "flood" -> flood(words);
            case "cut" -> peer.close();
            case "reset" -> peer.reset();
            case "wait" -> Thread.sleep(Long.parseLong(words.get(0)));
            case "no-connection" -> noConnection();
            case "congestion" -> Congestion.check(peer.channel(), words.get(0));
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Ends all connections and accepts no more. Any thread. */
    void abort() {
        for (Listener listener : listeners.values()) {
            quietly(listener.relay::close);
        }
        synchronized (peers) {
            peers.forEach(one -> quietly(() -> one.channel().close()));
        }
    }

    /** As a relay does at an orderly end: accepts no more, reads on, answers PINGs, and closes when the client has. */
    void stop() {
        for (Listener listener : listeners.values()) {
            quietly(listener.relay::stop);
        }
        Peer last = peer;
        if (last == null) {
            return;
        }
        Thread thread = new Thread(
                () -> {
                    quietly(() -> answerToTheEnd(last));
                    quietly(last::close);
                },
                "drains");
        thread.setDaemon(true);
        thread.start();
    }

    private static void answerToTheEnd(Peer peer) throws IOException {
        Peer.Frame frame;
        while ((frame = peer.next()) != null) {
            if (isPing(frame)) {
                peer.send("PONG id=" + id(frame));
            }
        }
    }

    private static boolean isPing(Peer.Frame frame) {
        return frame.type() == ControlFrames.PING;
    }

    private static String id(Peer.Frame frame) {
        return FrameText.decode(frame.type(), frame.body()).get("id");
    }

    private interface Closing {
        void close() throws IOException;
    }

    private static void quietly(Closing closing) {
        try {
            closing.close();
        } catch (IOException e) {
            // Closed already.
        }
    }

    private Listener listener(String kind, String certificate) throws IOException {
        ScriptedRelay relay = kind.equals("unix") ? ScriptedRelay.unix(directory) : ScriptedRelay.tcp();
        return new Listener(relay, kind, certificate);
    }

    /** A file of the kit's certificates and keys. */
    Path tlsFile(String name) {
        return played.file()
                .toAbsolutePath()
                .getParent()
                .resolve(TLS_FILES)
                .resolve(name)
                .normalize();
    }

    private void accept(String name, boolean fails) throws IOException {
        Listener listener = listeners.get(name);
        boolean tls = listener.kind.equals("tls") || listener.kind.equals("mtls");
        try {
            peer = tls
                    ? listener.relay.accept(
                            TlsFiles.server(
                                    tlsFile("ca.pem"),
                                    tlsFile(listener.certificate + ".pem"),
                                    tlsFile(listener.certificate + ".key")),
                            listener.kind.equals("mtls"))
                    : listener.relay.accept();
        } catch (IOException e) {
            if (fails) {
                return;
            }
            throw e;
        }
        unanswered = null;
        synchronized (peers) {
            peers.add(peer);
        }
        // A client may refuse a certificate after the relay's side of the handshake is through.
        if (fails && endsAtOnce()) {
            return;
        }
        if (fails) {
            throw new AssertionError("the client accepted the TLS connection");
        }
    }

    private boolean endsAtOnce() {
        try {
            return peer.next() == null;
        } catch (IOException e) {
            return true;
        }
    }

    private void checkWaited(long millis) {
        long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentNanos);
        if (waited < millis - EARLY_MS) {
            throw new AssertionError("the client has connected again after " + waited + " ms, not " + millis);
        }
    }

    private void noConnection() throws Exception {
        Thread.sleep(100);
        for (Listener listener : listeners.values()) {
            if (listener.relay.hasConnection()) {
                throw new AssertionError("the client has connected again");
            }
        }
    }

    private ByteBuffer frames(List<String> words) {
        List<ByteBuffer> frames = new ArrayList<>();
        List<String> frame = new ArrayList<>();
        int length = 0;
        for (int i = 0; i <= words.size(); i++) {
            if (i < words.size() && !words.get(i).equals("|")) {
                frame.add(words.get(i));
                continue;
            }
            ByteBuffer bytes = frame(frame);
            frames.add(bytes);
            length += bytes.remaining();
            frame.clear();
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        frames.forEach(all::put);
        return all.flip();
    }

    private ByteBuffer frame(List<String> words) {
        String name = words.get(0);
        if (name.equals("PONG") && words.contains("id=" + unanswered)) {
            unanswered = null;
        }
        if (name.equals("BYTES")) {
            return FrameText.encode(String.join(" ", words));
        }
        Map<String, String> fields = Words.fields(words.subList(1, words.size()));
        if (name.equals("WELCOME")) {
            int grants = ACKS_AND_SEQUENCES;
            for (String field : fields.keySet()) {
                grants |= GRANTS.getOrDefault(field, 0);
            }
            fields.putIfAbsent("features", String.valueOf(wanted & grants));
        }
        return FrameText.encode(name, fields);
    }

    private void sendPieces(ByteBuffer all, int piece) throws IOException {
        // On a busy machine hundreds of pauses are longer than a step may take, and a handshake.
        long pausesEnd = System.nanoTime() + PAUSES_NANOS;
        while (all.hasRemaining()) {
            int n = Math.min(piece, all.remaining());
            peer.send(all.slice(all.position(), n));
            all.position(all.position() + n);
            if (System.nanoTime() - pausesEnd < 0) {
                pause();
            }
        }
    }

    /** So that the client most likely reads what was sent by itself. */
    private static void pause() {
        Thread.yield();
    }

    /** {@code send-many COUNT FRAME}: {@code $i} in it is the number, from 1. */
    private void sendMany(List<String> words) throws IOException {
        long count = Long.parseLong(words.get(0));
        ByteBuffer some = ByteBuffer.allocate(64 << 10);
        for (long i = 1; i <= count; i++) {
            long number = i;
            ByteBuffer one = frame(words.subList(1, words.size()).stream()
                    .map(word -> word.replace("%i", String.valueOf(number)))
                    .toList());
            if (one.remaining() > some.remaining()) {
                peer.send(some.flip());
                some.clear();
            }
            some.put(one);
        }
        peer.send(some.flip());
    }

    /**
     * {@code flood most=BYTES body=BYTES}: messages until the client has taken none for half a second; {@code $flooded}
     * is their number. More than most: the client keeps what nobody asked for.
     */
    private void flood(List<String> words) throws Exception {
        Map<String, String> fields = Words.fields(words);
        long most = FrameText.number(fields.get("most"));
        int size = (int) FrameText.number(fields.get("body"));
        AtomicLong sent = new AtomicLong();
        Flood flood = new Flood();
        Peer flooded = peer;
        long before = -1;
        Thread sender = new Thread(
                () -> {
                    try {
                        while (sent.get() * size <= most && flood.begins()) {
                            flooded.send(FrameText.encode("MESSAGE size=" + size));
                            sent.incrementAndGet();
                        }
                    } catch (IOException e) {
                        // The case is over.
                    }
                },
                "flood");
        sender.setDaemon(true);
        sender.start();
        while (sender.isAlive() && sent.get() != before) {
            before = sent.get();
            sender.join(FLOOD_PAUSE_MS);
        }
        if (!sender.isAlive()) {
            throw new AssertionError("the client took " + sent.get() * size + " bytes that nobody read");
        }
        // The message under way goes out once the client reads; it is the last.
        variables.put("flooded", flood.end());
    }

    /** The messages of a flood that have begun, of which none begins after the end. Thread-safe. */
    private static final class Flood {
        private long begun;
        private boolean ended;

        synchronized boolean begins() {
            begun += ended ? 0 : 1;
            return !ended;
        }

        synchronized long end() {
            ended = true;
            return begun;
        }
    }

    private void expect(List<String> words) throws IOException {
        if (words.get(0).equals("end")) {
            expectEnd();
            return;
        }
        if (words.get(0).equals("nothing")) {
            expectNothing();
            return;
        }
        match(nextFrame(words.get(0)), words.get(0), Words.fields(words.subList(1, words.size())));
    }

    private void match(Peer.Frame frame, String name, Map<String, String> wantedFields) {
        if (frame == null) {
            throw new AssertionError("the client has closed");
        }
        Map<String, String> got = FrameText.decode(frame.type(), frame.body());
        if (!FrameText.name(frame.type()).equals(name)) {
            throw new AssertionError("the client sent " + frame);
        }
        if (isPing(frame)) {
            unanswered = got.get("id");
        }
        if (name.equals("HELLO")) {
            wanted = Integer.parseInt(got.get("features"));
        }
        wantedFields.forEach(
                (field, value) -> variables.match(field, value, got.get(field), "the client sent " + frame));
    }

    /**
     * The next frame but PONGs and PINGs, which may come at any time; a PING is answered. One that comes while another
     * waits for the case's answer is one too many.
     */
    private Peer.Frame nextFrame(String name) throws IOException {
        while (true) {
            Peer.Frame frame = peer.next();
            if (last.size() == REMEMBERED) {
                last.remove();
            }
            last.add(Optional.ofNullable(frame));
            String its = frame == null ? "" : FrameText.name(frame.type());
            if (its.equals("PING") && unanswered != null) {
                throw new AssertionError(
                        "the client sent PING " + id(frame) + " while PING " + unanswered + " was not answered");
            }
            if (its.equals(name) || !its.equals("PING") && !its.equals("PONG")) {
                return frame;
            }
            if (its.equals("PING")) {
                peer.send("PONG id=" + id(frame));
            }
        }
    }

    /** {@code read-to PING most=BYTES ...}: messages of so many bytes at most, headers included, and then a PING. */
    private void readTo(List<String> words) throws IOException {
        Map<String, String> fields = Words.fields(words.subList(1, words.size()));
        long most = FrameText.number(fields.remove("most"));
        long bytes = 0;
        Peer.Frame frame;
        while ((frame = nextFrame(words.get(0))) != null && !ControlFrames.isControl(frame.type())) {
            bytes += FrameLayout.HEADER_LENGTH + frame.body().remaining();
            if (bytes > most) {
                throw new AssertionError("no " + words.get(0) + " within " + most + " bytes of messages");
            }
        }
        match(frame, words.get(0), fields);
    }

    /** Nothing has come so far, which is not read yet; a connection without TLS. */
    private void expectNothing() throws IOException {
        ByteBuffer some = ByteBuffer.allocate(FrameLayout.HEADER_LENGTH);
        peer.channel().configureBlocking(false);
        int n = peer.channel().read(some);
        peer.channel().configureBlocking(true);
        if (n > 0) {
            throw new AssertionError("the client has sent something: " + FrameText.name(some.getInt(0)));
        }
    }

    private void expectEnd() {
        try {
            peer.drain();
        } catch (AsynchronousCloseException e) {
            throw new AssertionError("the client has not closed", e);
        } catch (IOException e) {
            // A reset is an end as well.
        }
    }

    private void expectMessages(List<String> words) throws IOException {
        String[] range = words.get(0).split("\\.\\.");
        for (long i = Long.parseLong(range[0]); i <= Long.parseLong(range[1]); i++) {
            expect(List.of("MESSAGE", "body=" + i));
        }
    }
}
