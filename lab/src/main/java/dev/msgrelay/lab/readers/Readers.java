package dev.msgrelay.lab.readers;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.readers.Client.Ladder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process for each client, as in the article, which serves all rounds. The lab's thread owns it. */
final class Readers implements AutoCloseable {
    private static final List<String> JAVA_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-Xshare:auto", "-XX:-UsePerfData");

    private final Map<Ladder, Process> readers = new EnumMap<>(Ladder.class);

    /** The result of one stream: the number of messages that were sent, and the client's figures. */
    record Reading(long sent, long messages, long wrong, long reads, long nanos) {
        void verify() throws WrongResultException {
            if (messages != sent || wrong > 0 || sent == 0) {
                throw new WrongResultException(
                        sent + " messages were sent, " + messages + " came, " + wrong + " of them wrong");
            }
        }
    }

    /** Lets a client read a stream. */
    Reading read(Ladder step, StreamSender sender, Duration duration, boolean check)
            throws IOException, InterruptedException {
        Process reader = reader(step);
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            server.socket().setSoTimeout(60_000);
            String command = (check ? "check " : "count ") + server.socket().getLocalPort() + "\n";
            reader.outputWriter().write(command);
            reader.outputWriter().flush();
            long sent;
            try (SocketChannel client = server.socket().accept().getChannel()) {
                sent = sender.send(client, System.nanoTime() + duration.toNanos(), System::nanoTime);
            }
            long[] got = answer(step, reader);
            return new Reading(sent, got[0], got[1], got[2], got[3]);
        } catch (IOException | InterruptedException | RuntimeException e) {
            // The next go starts a new process.
            readers.remove(step).destroyForcibly();
            throw e;
        }
    }

    private Process reader(Ladder step) throws IOException {
        Process reader = readers.get(step);
        if (reader == null) {
            List<String> program = new ArrayList<>();
            program.add(ProcessHandle.current().info().command().orElse("java"));
            program.addAll(JAVA_OPTIONS);
            program.addAll(List.of("-cp", System.getProperty("java.class.path"), Readers.class.getName(), step.name()));
            reader = new ProcessBuilder(program)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            readers.put(step, reader);
        }
        return reader;
    }

    /** Waits for the client's result: a slow client still reads from the socket's buffers after the last write. */
    private static long[] answer(Ladder step, Process reader) throws IOException, InterruptedException {
        String line;
        try {
            line = CompletableFuture.supplyAsync(() -> line(reader))
                    .completeOnTimeout("failed: read on for more than 60 s", 60, TimeUnit.SECONDS)
                    .get();
        } catch (ExecutionException e) {
            throw new IOException(step.text() + ": " + e.getCause().getMessage(), e);
        }
        if (line == null || line.startsWith("failed")) {
            throw new IOException(step.text() + ": " + (line == null ? "its process ended" : line));
        }
        return Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    private static String line(Process reader) {
        try {
            return reader.inputReader(StandardCharsets.UTF_8).readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        readers.values().forEach(Process::destroyForcibly);
        readers.clear();
    }

    /**
     * The main method of a client's process; the argument is the client. Each line on stdin starts a go, and is
     * answered by a line on stdout. The process ends with its stdin.
     *
     * <pre>
     *  check PORT    read a stream, compare every byte    MESSAGES WRONG READS NANOS
     *  count PORT    read a stream, count                 failed: WHY
     * </pre>
     */
    public static void main(String[] args) throws IOException {
        Ladder step = Ladder.valueOf(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(step, line.split(" ")));
            System.out.flush();
        }
    }

    private static String answer(Ladder step, String... command) {
        Sink sink = new Sink(StreamSender.BODY, command[0].equals("check"));
        Client client = step.newClient();
        try {
            int port = Integer.parseInt(command[1]);
            long start = System.nanoTime();
            long reads = client.receive(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), sink);
            long nanos = System.nanoTime() - start;
            return sink.messages() + " " + sink.wrong() + " " + reads + " " + nanos;
        } catch (IOException | RuntimeException e) {
            return "failed: " + e;
        }
    }
}
