package dev.msgrelay.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.senders.Clients.SendFigures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTest {
    private static final int SIZE = 200_000;
    private static final long START = TimeUnit.SECONDS.toNanos(100);

    @TempDir
    private Path directory;

    private final ByteBuffer buffer = ByteBuffer.allocate(256 * 1024);
    private final SendFigures heard = new SendFigures(0, START);
    private List<SentFile> files;
    private byte[] content;
    private ServerSocket listener;
    private Selector selector;
    private Clients.Client client;
    private Socket server;

    @BeforeEach
    void listen() throws IOException {
        files = SentFile.in(directory, List.of((long) SIZE));
        content = Files.readAllBytes(files.get(0).path());
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        selector = Selector.open();
    }

    private void connect() throws IOException {
        client = new Clients.Client(0, files, 0, listener.getLocalPort(), selector);
        server = listener.accept();
        client.ask(START);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
        selector.close();
    }

    @Test
    void tellsWhenTheFileBeganAndEndedAndAsksAgain() throws Exception {
        connect();
        server.getOutputStream().write(content);
        for (int i = 1; heard.bytes() < SIZE; i++) {
            selector.select();
            client.read(buffer, START + i, heard);
        }
        assertThat(heard.initialSeconds()).isEqualTo(1e-9);
        assertThat(heard.bytes()).isEqualTo(SIZE);
        assertThat(client.received).isZero();
        assertThat(server.getInputStream().readNBytes(8)).isEqualTo(new byte[8]);
    }

    @Test
    void aWrongByteIsNoticed() throws IOException {
        content[SIZE - 1]++;
        connect();
        server.getOutputStream().write(content);
        assertThatThrownBy(this::readOn)
                .isInstanceOf(WrongResultException.class)
                .hasMessage("client 0, file 0 of 200000 bytes: byte 199999 is not the file's");
    }

    @Test
    void aByteTooManyIsNoticed() throws IOException {
        connect();
        server.getOutputStream().write(content);
        server.getOutputStream().write(1);
        assertThatThrownBy(this::readOn)
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("byte");
    }

    @Test
    void anEndWithinAFileIsNoticed() throws IOException {
        connect();
        server.getOutputStream().write(content, 0, 70_000);
        assertThatThrownBy(this::readOn)
                .isInstanceOf(WrongResultException.class)
                .hasMessage("client 0, file 0 of 200000 bytes: the connection ended after 70000 bytes");
    }

    /** Until it fails, which is within two files. */
    private void readOn() throws Exception {
        server.getOutputStream().flush();
        server.shutdownOutput();
        for (long now = START; heard.bytes() <= 2L * SIZE; now++) {
            selector.select();
            client.read(buffer, now, heard);
        }
    }
}
