package dev.msgrelay.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TransportTest {
    @Test
    void autoIsEpollWhereItIsThere() {
        assertThat(Transport.AUTO.resolve()).isEqualTo(Epoll.isAvailable() ? Transport.EPOLL : Transport.NIO);
        assertThat(Transport.NIO.resolve()).isEqualTo(Transport.NIO);
    }

    @Test
    void flagsAreTheNamesInSmallLetters() {
        assertThat(Transport.values()).extracting(Transport::flag).containsExactly("auto", "epoll", "nio");
    }

    @Test
    void eachWantsUnixAddressesOfItsOwnKind() {
        Path path = Path.of("a.sock");
        assertThat(Transport.NIO.unixAddress(path)).isEqualTo(UnixDomainSocketAddress.of(path));
        assertThat(Transport.EPOLL.unixAddress(path)).isEqualTo(new DomainSocketAddress("a.sock"));
    }
}
