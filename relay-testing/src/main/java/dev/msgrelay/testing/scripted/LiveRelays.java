package dev.msgrelay.testing.scripted;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.Directories;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Starts real relays, as processes. The processes and their files end with it. */
final class LiveRelays implements AutoCloseable {
    private final List<String> command;
    private final Path record;
    private final Path directory;
    private final List<TestProcess> started = new ArrayList<>();
    private int number;

    /**
     * @param command what starts a relay, without options
     * @param record directory for the bytes of transcripts; null: they are not kept
     */
    LiveRelays(List<String> command, Path record) throws IOException {
        this.command = command;
        this.record = record;
        this.directory = Directories.forSockets("relay-live");
    }

    Path record() {
        return record;
    }

    /** A new directory of its own. */
    Path directory() throws IOException {
        return Files.createDirectory(directory.resolve(String.valueOf(number++)));
    }

    /** A relay on free ports, which it keeps when it is started again. */
    Live start(String... options) throws IOException {
        List<String> all = new ArrayList<>(command);
        int publish = FreePort.next();
        int subscribe = FreePort.next();
        all.addAll(List.of("--json", "--quiet", "--admin=none", "--publish-port=" + publish));
        all.addAll(List.of("--subscribe-port=" + subscribe));
        all.addAll(List.of(options));
        Live live = new Live(all, Endpoint.tcp("127.0.0.1", publish), Endpoint.tcp("127.0.0.1", subscribe));
        live.start();
        return live;
    }

    @Override
    public void close() throws IOException {
        started.forEach(TestProcess::close);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** A relay that can be killed and started anew. */
    final class Live implements AutoCloseable {
        final Endpoint publish;
        final Endpoint subscribe;
        private final List<String> command;
        private TestProcess process;
        private JsonObject ready;

        private Live(List<String> command, Endpoint publish, Endpoint subscribe) {
            this.command = command;
            this.publish = publish;
            this.subscribe = subscribe;
        }

        void start() throws IOException {
            process = new TestProcess(command);
            started.add(process);
            String line = process.line(text -> text.contains("\"event\":\"ready\""));
            try {
                ready = JsonParser.object().from(line);
            } catch (JsonParserException e) {
                throw new IOException("the relay said " + line, e);
            }
        }

        /** An address of the relay's first line: {@code tlsPublish} and so on. */
        String address(String name) {
            return ready.getString(name);
        }

        void kill() throws InterruptedException {
            process.kill();
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
