package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.cluster.service.ClientSession;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What a node learns of itself from the cluster's log. */
class RelayServiceTest {
    private static final long LIFE = 100;

    private final ClusterFile file = new ClusterFile(
            StateRig.CLUSTER,
            Path.of("none"),
            Path.of("none"),
            null,
            1_408,
            false,
            Duration.ofMinutes(10),
            1 << 30,
            Map.of(1, new ClusterFile.Member("127.0.0.1", 1)));
    private final RelayService service = new RelayService(
            file,
            1,
            LIFE,
            -1,
            new ClusterOrderer(1, LIFE, 64 << 10, 64 << 10, 1 << 10, 1 << 10, () -> {}),
            () -> {},
            e -> {});

    /** A node says how far it is, and that comes by the log. */
    private void says(long life) {
        UnsafeBuffer batch = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH]);
        Batch.putHeader(batch, 1, ClusterState.idOf(StateRig.CLUSTER), life, 7, 1 << 10);
        ClientSession session = (ClientSession) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClientSession.class}, (proxy, method, args) -> life);
        service.onSessionMessage(session, 0, batch, 0, batch.capacity(), null);
    }

    /** Otherwise a node that reads its log at the start takes itself for one of a majority. */
    @Test
    void whatAnEarlierLifeOfTheNodeHasSaidIsNoSignOfThisOne() {
        long before = service.heardNanos();
        says(LIFE - 1);
        assertThat(service.heardNanos()).isEqualTo(before);
        says(LIFE);
        assertThat(service.heardNanos()).isGreaterThan(before);
    }
}
