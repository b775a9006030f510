package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.protocol.ProducerId;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.exceptions.AeronEvent;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;

/**
 * The service of a node by itself: reports that come by the log, a snapshot that its journal does not reach, and its
 * end.
 */
class RelayServiceTest {
    private static final long LIFE = 100;
    private static final int MOST_BODY = 1 << 10;

    private final List<Throwable> failures = new ArrayList<>();
    private final ClusterOrderer orderer =
            new ClusterOrderer(1, LIFE, 64 << 10, 64 << 10, 1 << 10, MOST_BODY, () -> {});
    private final RelayService service = new RelayService(
            new ClusterFile(
                    StateRig.CLUSTER,
                    Path.of("none"),
                    Path.of("none"),
                    Optional.empty(),
                    1_408,
                    false,
                    Duration.ofMinutes(10),
                    1 << 30,
                    Optional.empty(),
                    Optional.empty(),
                    Map.of(1, new ClusterFile.Member("127.0.0.1", 1))),
            1,
            LIFE,
            -1,
            orderer,
            () -> {},
            failures::add);

    @SuppressWarnings("unchecked")
    private static <T> T fake(Class<T> what, Object answer) {
        return (T) Proxy.newProxyInstance(
                RelayServiceTest.class.getClassLoader(), new Class<?>[] {what}, (proxy, method, args) -> answer);
    }

    private void offer(long life, int maxBody, byte[]... entries) {
        int length = List.of(entries).stream().mapToInt(e -> e.length).sum();
        UnsafeBuffer batch = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH + length]);
        Batch.putHeader(batch, 1, ClusterState.idOf(StateRig.CLUSTER), life, 7, maxBody);
        int at = Batch.HEADER_LENGTH;
        for (byte[] entry : entries) {
            batch.putBytes(at, entry);
            at += entry.length;
        }
        service.onSessionMessage(fake(ClientSession.class, life), 0, batch, 0, batch.capacity(), null);
    }

    /** Otherwise a node that reads its log at the start takes itself for one of a majority. */
    @Test
    void whatAnEarlierLifeOfTheNodeHasReportedIsNoSignOfThisOne() {
        long before = service.heardNanos();
        offer(LIFE - 1, MOST_BODY);
        assertThat(service.heardNanos()).isEqualTo(before);
        offer(LIFE, MOST_BODY);
        assertThat(service.heardNanos()).isGreaterThan(before);
    }

    /** A snapshot that waited held the order of the whole cluster, for as long as the disk was full. */
    @Test
    void aSnapshotThatTheJournalDoesNotReachIsSkippedAndTheNodeGoesOn() {
        StateRig.Log stuck = new StateRig.Log();
        stuck.forced = 0;
        service.onStart(fake(Cluster.class, new YieldingIdleStrategy()), null);
        orderer.setStream(stuck);
        StateRig.Sender one = new StateRig.Sender(1, LIFE, LIFE);
        offer(LIFE, MOST_BODY, one.run("", ProducerId.NONE, 1, 3));
        assertThatExceptionOfType(AeronEvent.class).isThrownBy(() -> service.onTakeSnapshot(null));
        assertThat(stuck.wanted).isEqualTo(3L * StateRig.FRAME);
        offer(LIFE, MOST_BODY, one.run("", ProducerId.NONE, 4, 1));
        assertThat(service.position()).isEqualTo(4L * StateRig.FRAME);
        assertThat(failures).isEmpty();
    }

    @Test
    void aNodeOfAnotherLongestBodyEndsAndSaysSo() {
        service.onStart(fake(Cluster.class, new YieldingIdleStrategy()), null);
        assertThatExceptionOfType(AgentTerminationException.class).isThrownBy(() -> offer(LIFE, MOST_BODY / 2));
        assertThat(failures).singleElement().satisfies(e -> assertThat(e)
                .hasMessage("max body 1024 is not the 512 of cluster orders, which began with that: it has to be the"
                        + " same on all nodes"));
    }

    /** An error of the JVM is the end, too: the entry is done in part. */
    @Test
    void anErrorWithinABatchIsTheEndOfTheNode() {
        service.onStart(fake(Cluster.class, new YieldingIdleStrategy()), null);
        ClientSession broken = (ClientSession) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClientSession.class}, (proxy, method, args) -> {
                    throw new NoClassDefFoundError("no such class");
                });
        assertThatExceptionOfType(AgentTerminationException.class)
                .isThrownBy(() -> service.onSessionMessage(broken, 0, new UnsafeBuffer(new byte[8]), 0, 8, null));
        assertThatExceptionOfType(AgentTerminationException.class)
                .isThrownBy(() -> service.onSessionClose(broken, 0, null));
        assertThat(failures).hasSize(2).allSatisfy(e -> assertThat(e).isInstanceOf(NoClassDefFoundError.class));
    }
}
