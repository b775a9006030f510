package dev.msgrelay.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.lab.senders.WorkerServer.SendAlgorithm;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WorkerServerTest {
    private static final int SOCKET_BUFFER = 16 * 1024;
    private static final int TIMEOUT_MILLIS = 120_000;

    @TempDir
    private Path directory;

    private List<SentFile> files;

    @BeforeEach
    void files() throws IOException {
        files = SentFile.in(directory, List.of(1_000L, 700_001L, 1L));
    }

    static Stream<SendAlgorithm> contestants() {
        return Stream.of(
                SendAlgorithm.SIMPLE_BLOCKING,
                SendAlgorithm.EQUAL_NON_BLOCKING,
                new SendAlgorithm(true, 40 * 1024),
                new SendAlgorithm(true, 200 * 1024));
    }

    private WorkerServer start(SendAlgorithm algorithm) throws IOException {
        return new WorkerServer(files, algorithm, 2, SOCKET_BUFFER);
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void plainClientsGetTheFilesTheyAskFor(SendAlgorithm contestant) throws IOException {
        try (WorkerServer server = start(contestant);
                PlainClient first = new PlainClient(server.port());
                PlainClient second = new PlainClient(server.port())) {
            for (int number : new int[] {1, 0, 2, 1}) {
                first.ask(number);
                second.ask(2 - number);
                assertThat(first.read(files.get(number))).isEqualTo(content(number));
                assertThat(second.read(files.get(2 - number))).isEqualTo(content(2 - number));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void clientsThatReadNothingDoNotStopItFromClosing(SendAlgorithm contestant) throws Exception {
        List<PlainClient> clients = new ArrayList<>();
        WorkerServer server = start(contestant);
        try {
            for (int i = 0; i < 4; i++) {
                clients.add(new PlainClient(server.port()));
                clients.get(i).ask(1);
                if (i == 0) {
                    // so that one at least is being sent
                    clients.get(i).readOne();
                }
            }
        } finally {
            server.close();
            for (PlainClient client : clients) {
                client.close();
            }
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("file-server")) {
                thread.join(TIMEOUT_MILLIS);
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void aFileThatIsNotThereEndsTheConnection(SendAlgorithm contestant) throws IOException {
        try (WorkerServer server = start(contestant);
                PlainClient client = new PlainClient(server.port())) {
            client.ask(3);
            assertThat(client.readOne()).isEqualTo(-1);
        }
    }

    private byte[] content(int number) throws IOException {
        return Files.readAllBytes(files.get(number).path());
    }

    private static final class PlainClient implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        PlainClient(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        void ask(int number) throws IOException {
            out.writeInt(number);
        }

        byte[] read(SentFile file) throws IOException {
            byte[] content = new byte[(int) file.size()];
            in.readFully(content);
            return content;
        }

        int readOne() throws IOException {
            return in.read();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
