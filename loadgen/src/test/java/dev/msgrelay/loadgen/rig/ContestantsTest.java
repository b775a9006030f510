package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a contestant. */
class ContestantsTest {
    private static final Load TCP = Load.oneToOne(100);
    private static final Load UNIX = TCP.withUnix(true);

    @Test
    void aRelayThatRunsAlreadyIsConnectedAsItsAddressesSay() {
        Endpoint tcp = Endpoint.parse("127.0.0.1:7400");
        Endpoint unix = Endpoint.parse("unix:/tmp/relay.sock");
        assertThat(new RemoteRelay(tcp, tcp, Policy.BACKPRESSURE).transport(UNIX))
                .isEqualTo("TCP");
        assertThat(new RemoteRelay(unix, unix, Policy.BACKPRESSURE).transport(TCP))
                .isEqualTo("Unix sockets");
        assertThat(new RemoteRelay(unix, tcp, Policy.BACKPRESSURE).transport(TCP))
                .isEqualTo("Unix sockets in, TCP out");
        assertThat(new RemoteRelay(tcp, unix, Policy.BACKPRESSURE).transport(TCP))
                .isEqualTo("TCP in, Unix sockets out");
    }

    @Test
    void whatIsStartedIsConnectedAsTheLoadSays() {
        assertThat(Contestants.plain(1_000).transport(TCP)).isEqualTo("TCP");
        assertThat(Contestants.none().transport(UNIX)).isEqualTo("Unix sockets");
        assertThat(new RelayContestant(List.of(), List.of()).transport(UNIX)).isEqualTo("Unix sockets");
        assertThat(new RelayContestant(List.of(), List.of(), true, null).transport(TCP))
                .isEqualTo("Unix sockets in, TCP out");
    }
}
