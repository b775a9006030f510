package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndpointTest {
    @Test
    void hostAndPortAreTakenApartAtTheLastColon() {
        assertThat(Endpoint.parse("[::1]:7401").port()).isEqualTo(7401);
        assertThat(Endpoint.parse("127.0.0.1:7401").withPort(7400)).hasToString("127.0.0.1:7400");
        assertThat(Endpoint.parse("unix:/tmp/x").isUnix()).isTrue();
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThatThrownBy(() -> Endpoint.parse("localhost")).hasMessage("'localhost' is not host:port or unix:/path");
        assertThatThrownBy(() -> Endpoint.parse("localhost:70000"))
                .hasMessage("port '70000' of 'localhost:70000' is not within 0..65535");
        assertThatThrownBy(() -> Endpoint.parse("localhost:x"))
                .hasMessage("port 'x' of 'localhost:x' is not within 0..65535");
    }

    @Test
    void connectsOverUnixSockets(@TempDir Path directory) throws IOException {
        try (ServerSocketChannel server = Endpoint.unix(directory.resolve("s")).listen();
                SocketChannel near = Endpoint.of(server).connect();
                SocketChannel far = Endpoint.accept(server)) {
            assertThat(near.isConnected() && far.isConnected()).isTrue();
        }
    }

    @Test
    void aConnectionThatIsRefusedIsNamed() throws IOException {
        Endpoint free;
        try (ServerSocketChannel server = Endpoint.loopback(0).listen()) {
            free = Endpoint.of(server);
        }
        assertThatThrownBy(free::connect)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot connect to " + free);
    }

    @Test
    void loopbackAndUnixSocketsAreWithinThisHost() {
        assertThat(Endpoint.parse("127.0.0.1:7400").isWithinHost()).isTrue();
        assertThat(Endpoint.parse("[::1]:7400").isWithinHost()).isTrue();
        assertThat(Endpoint.parse("unix:/tmp/x.sock").isWithinHost()).isTrue();
        assertThat(Endpoint.parse("10.0.0.2:7400").isWithinHost()).isFalse();
    }
}
