package dev.msgrelay.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ListenerTest {
    private static final String ONE = "127.0.0.1";
    private static final String TWO = "127.0.0.2";

    /** For documents (RFC 5737): nobody has it. */
    private static final String NOT_HERE = "192.0.2.1";

    private final List<ServerSocket> open = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();

    @AfterEach
    void closeAll() throws IOException {
        for (ServerSocket socket : open) {
            socket.close();
        }
    }

    private InetSocketAddress listen(InetSocketAddress address) throws IOException {
        ServerSocket socket = new ServerSocket();
        open.add(socket);
        socket.bind(address);
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void bind(int port, String... hosts) throws IOException {
        Listener.bindAll(addresses(hosts), port, this::listen, leftOut::add);
    }

    private static List<InetAddress> addresses(String... hosts) throws IOException {
        List<InetAddress> addresses = new ArrayList<>();
        for (String host : hosts) {
            addresses.add(InetAddress.getByName(host));
        }
        return addresses;
    }

    /** Without sockets: a port that is free at one address may be taken at another by any program of this machine. */
    @Test
    void allOfThemOnTheSamePort() throws Exception {
        List<InetSocketAddress> asked = new ArrayList<>();
        Listener.bindAll(
                addresses(ONE, TWO),
                0,
                address -> {
                    asked.add(address);
                    return new InetSocketAddress(address.getAddress(), 4711);
                },
                leftOut::add);
        assertThat(leftOut).isEmpty();
        assertThat(asked).containsExactly(new InetSocketAddress(ONE, 0), new InetSocketAddress(TWO, 4711));
    }

    @Test
    void anAddressOfAnotherMachineIsLeftOutAndTold() throws Exception {
        bind(0, NOT_HERE, ONE);
        assertThat(leftOut).hasSize(1);
        assertThat(leftOut.get(0)).startsWith("left out: " + NOT_HERE).endsWith("is listened on at " + ONE);
    }

    @Test
    void aPortThatIsTakenIsNoSuchCase() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(TWO))) {
            assertThatThrownBy(() -> bind(taken.getLocalPort(), TWO, NOT_HERE)).isInstanceOf(IOException.class);
            assertThat(leftOut).isEmpty();
        }
    }

    @Test
    void atLeastOneHasToBeHere() {
        assertThatThrownBy(() -> bind(0, NOT_HERE)).isInstanceOf(IOException.class);
        assertThat(leftOut).isEmpty();
    }

    @Test
    void anUnknownHostIsNamed() {
        assertThatThrownBy(() -> Listener.addresses("no such host", 7401))
                .hasMessage("cannot listen on no such host:7401: unknown host");
    }
}
