package dev.msgrelay.cluster;

import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.stream.NodeLeftException;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.exceptions.AeronEvent;
import io.aeron.logbuffer.Header;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.UnsafeBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service that Aeron Cluster calls on each node, in the log's order. It passes batches to {@link ClusterState}. The
 * decisions go to the core by {@link ToCore}. On the service's thread.
 */
final class RelayService implements ClusteredService {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Time for which the core may leave a full ring unread before the node leaves. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Time for which a snapshot waits for the journal. A good disk takes milliseconds. */
    private static final long SNAPSHOT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Most reasons for ignored batches that are logged. */
    private static final int MOST_PASSED_OVER = 100;

    /**
     * The last report of a member on itself.
     *
     * @param position end of the member's stream
     * @param lag bytes that were ordered then and that the member did not have
     * @param nanos time at which the report arrived here
     */
    record Report(long position, long lag, long nanos) {}

    /** Skips a snapshot, which was logged. The previous snapshot and the log after it are kept. */
    static final class Skipped extends AeronEvent {
        private static final long serialVersionUID = 1L;

        Skipped(String why) {
            super(why);
        }
    }

    private final ClusterFile file;
    private final int node;
    private final String who;
    private final long life;
    private final long lastTerm;
    private final ClusterState state;
    private final ClusterOrderer orderer;
    private final ToCore output;
    private final Runnable begun;
    private final Consumer<Throwable> failed;
    private final Map<Integer, Report> reports = new ConcurrentHashMap<>();
    private volatile long heardNanos = System.nanoTime() - TimeUnit.MINUTES.toNanos(1);
    private volatile long position;
    private volatile long term = -1;
    private volatile int leader;
    private Cluster cluster;
    private final Set<String> passedOver = new HashSet<>();
    // Time since which the ring is full; 0: it is not.
    private long waitsSinceNanos;

    /**
     * @param life the node's life: reports of its earlier lives are in the log, too
     * @param lastTerm the last term that the node's earlier lives knew; -1: none
     * @param begun called when the stream has begun
     * @param failed gets the error that ends the node
     */
    RelayService(
            ClusterFile file,
            int node,
            long life,
            long lastTerm,
            ClusterOrderer orderer,
            Runnable begun,
            Consumer<Throwable> failed) {
        this.file = file;
        this.node = node;
        this.who = "node " + node + " of " + file.name();
        this.life = life;
        this.lastTerm = lastTerm;
        this.state = new ClusterState(file.name(), file.members().keySet());
        this.orderer = orderer;
        this.begun = begun;
        this.failed = failed;
        this.output = orderer.output(this::streamBegins, this::await);
    }

    private void streamBegins() {
        if (state.maxBody() != orderer.maxBody()) {
            throw new IllegalStateException("max body " + orderer.maxBody() + " is not the " + state.maxBody()
                    + " of cluster " + file.name() + ", which began with that: it has to be the same on all nodes");
        }
        orderer.begins(state.lives());
        begun.run();
    }

    /** Ends the node after an error in a call by Aeron: the state may have changed in part. */
    private AgentTerminationException endOfNode(Throwable e) {
        if (e instanceof AgentTerminationException itself) {
            return itself;
        }
        failed.accept(e);
        return new AgentTerminationException(e);
    }

    @Override
    public void onStart(Cluster theCluster, Image snapshot) {
        cluster = theCluster;
        if (snapshot != null) {
            try {
                goOnFrom(snapshot);
            } catch (Throwable e) {
                throw endOfNode(e);
            }
        }
    }

    private void goOnFrom(Image snapshot) {
        load(snapshot);
        String names = ShortText.counted(state.names(), "name");
        LOG.info("{} goes on from a snapshot: message {}, {}", who, state.sequence(), names);
        position = state.position();
        if (state.epoch() != 0) {
            streamBegins();
        }
    }

    @Override
    public void onSessionMessage(
            ClientSession session, long timestamp, DirectBuffer buffer, int offset, int length, Header header) {
        try {
            long epoch = state.epoch();
            String foreign = state.batch(session.id(), timestamp, buffer, offset, length, output);
            if (epoch != 0 && state.epoch() != epoch) {
                LOG.info(
                        "{}: the cluster was started anew, and goes on in another epoch: from message {} on",
                        who,
                        state.lives().last().sequence());
            }
            if (foreign == null) {
                position = state.position();
                if (length == Batch.HEADER_LENGTH) {
                    reported(
                            buffer.getInt(offset + Batch.NODE_OFFSET),
                            buffer.getLong(offset + Batch.LIFE_OFFSET),
                            buffer.getLong(offset + Batch.POSITION_OFFSET));
                }
            } else if (passedOver.size() < MOST_PASSED_OVER && passedOver.add(foreign)) {
                LOG.warn("{} passes over {} (logged once)", who, foreign);
            }
        } catch (Throwable e) {
            throw endOfNode(e);
        }
        waitsSinceNanos = 0;
        orderer.wake();
    }

    private void reported(int member, long itsLife, long its) {
        long now = System.nanoTime();
        reports.put(member, new Report(its, state.position() - its, now));
        heardNanos = member == node && itsLife == life ? now : heardNanos;
    }

    private void await() {
        long now = System.nanoTime();
        if (!orderer.hasCore()) {
            // The relay still reads its journal.
            waitsSinceNanos = 0;
        } else if (waitsSinceNanos == 0) {
            waitsSinceNanos = now;
        } else if (now - waitsSinceNanos > PATIENCE_NANOS) {
            throw new NodeLeftException("this node does not keep up: for "
                    + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s it has taken nothing of what is in order");
        }
        cluster.idleStrategy().idle();
    }

    @Override
    public void onSessionOpen(ClientSession session, long timestamp) {
        // The first batch names its node.
    }

    @Override
    public void onSessionClose(ClientSession session, long timestamp, CloseReason closeReason) {
        try {
            state.sessionClosed(session.id(), timestamp);
        } catch (Throwable e) {
            throw endOfNode(e);
        }
    }

    @Override
    public void onTimerEvent(long correlationId, long timestamp) {
        // The service sets no timer.
    }

    @Override
    public void onTakeSnapshot(ExclusivePublication publication) {
        awaitJournal();
        for (String line : state.save()) {
            UnsafeBuffer bytes = new UnsafeBuffer(line.getBytes(StandardCharsets.UTF_8));
            long result = publication.offer(bytes, 0, bytes.capacity());
            while (result < 0) {
                if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                    throw new IllegalStateException(
                            "the snapshot cannot be written: " + Publication.errorString(result));
                }
                cluster.idleStrategy().idle();
                result = publication.offer(bytes, 0, bytes.capacity());
            }
        }
        LOG.info("{} has taken a snapshot at message {}", who, state.sequence());
    }

    /**
     * Waits until the journal has the stream up to the snapshot. The log before the snapshot may be deleted then, and
     * the journal could never get it again. A leader orders nothing during the wait, so a slow disk gets no snapshot.
     */
    private void awaitJournal() {
        long begun = System.nanoTime();
        while (state.epoch() != 0 && !orderer.isForced(state.position())) {
            if (System.nanoTime() - begun > SNAPSHOT_NANOS) {
                LOG.warn(
                        "{} skips a snapshot: its journal has not forced message {} and those before it within {} ms."
                                + " Until there is one, it keeps the cluster's log",
                        who,
                        state.sequence() - 1,
                        TimeUnit.NANOSECONDS.toMillis(SNAPSHOT_NANOS));
                throw new Skipped("a snapshot is skipped");
            }
            cluster.idleStrategy().idle();
        }
    }

    private void load(Image snapshot) {
        boolean[] whole = new boolean[1];
        while (!whole[0]) {
            int polled = snapshot.poll(
                    (buffer, offset, length, header) -> {
                        byte[] line = new byte[length];
                        buffer.getBytes(offset, line);
                        whole[0] = state.load(new String(line, StandardCharsets.UTF_8));
                    },
                    1);
            if (polled == 0 && (snapshot.isClosed() || snapshot.isEndOfStream())) {
                throw new IllegalStateException("the snapshot of cluster " + file.name() + " ends before its end");
            }
            cluster.idleStrategy().idle(polled);
        }
    }

    @Override
    public void onNewLeadershipTermEvent(
            long itsTerm,
            long logPosition,
            long timestamp,
            long termBaseLogPosition,
            int itsLeader,
            int logSessionId,
            TimeUnit timeUnit,
            int appVersion) {
        state.termBegins();
        termBegins(itsTerm, itsLeader);
        logLeader(itsTerm, itsLeader);
        try {
            if (itsTerm > lastTerm) {
                output.newTerm();
            }
        } catch (Throwable e) {
            throw endOfNode(e);
        }
    }

    /** Records a term and its leader. Returns whether the term is new. */
    private synchronized boolean termBegins(long itsTerm, int itsLeader) {
        boolean newer = itsTerm > term;
        leader = newer ? itsLeader : leader;
        term = newer ? itsTerm : term;
        return newer;
    }

    private void logLeader(long itsTerm, int itsLeader) {
        if (itsLeader == node) {
            LOG.info("{} leads, term {}", who, itsTerm);
        } else {
            LOG.info("{} follows node {}, term {}", who, itsLeader, itsTerm);
        }
    }

    /** Records a leader that has answered the ingress. The log lacks a term that began before the node's snapshot. */
    void leaderFound(long itsTerm, int itsLeader) {
        if (termBegins(itsTerm, itsLeader)) {
            logLeader(itsTerm, itsLeader);
        }
    }

    /** The newest term that the node knows; -1: none. Any thread. */
    long term() {
        return term;
    }

    /** The leader of the newest term; 0: none. Any thread. */
    int leader() {
        return leader;
    }

    /** End of the ordered stream. Any thread. */
    long position() {
        return position;
    }

    /** Time at which the log last had a report of this node. Any thread. */
    long heardNanos() {
        return heardNanos;
    }

    /** The member's last report; empty: there was none. Any thread. */
    Optional<Report> report(int member) {
        return Optional.ofNullable(reports.get(member));
    }

    @Override
    public void onRoleChange(Cluster.Role role) {
        // The new term names the leader.
    }

    @Override
    public void onTerminate(Cluster theCluster) {
        // The node notices the end of Aeron's threads.
    }
}
