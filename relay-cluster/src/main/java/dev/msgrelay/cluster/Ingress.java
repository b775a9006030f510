package dev.msgrelay.cluster;

import io.aeron.Aeron;
import io.aeron.DirectBufferVector;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.ElectionState;
import io.aeron.cluster.client.AeronCluster;
import io.aeron.cluster.client.EgressListener;
import io.aeron.cluster.service.ClusterCounters;
import io.aeron.logbuffer.Header;
import io.aeron.security.AuthenticationException;
import io.aeron.security.CredentialsSupplier;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers a node's entries to the leader, in batches and in the order of their numbers, on a thread of its own. After a
 * change of the leader it offers again all entries that the cluster has not ordered: the old leader may have lost them.
 */
final class Ingress implements EgressListener, AutoCloseable {
    /** Most bytes of a batch, about a datagram. A batch has the entries at hand, and does not wait for more. */
    static final int BATCH_BYTES = 60 << 10;

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Interval of a node's reports on its position, which also keep its connection alive. */
    private static final long GREET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time after which a node connects again if its reports do not come back by the cluster's log. */
    private static final long DEAF_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** Longest wait for entries before the next look for a new leader. */
    private static final long LISTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Time after which entries are offered again if none of them was ordered. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Time without a leader until a warning is logged: an election takes a second or two. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final String who;
    private final String members;
    private final AeronCluster.Context context;
    private final ClusterOrderer orderer;
    private final Outgoing outgoing;
    private final RelayService service;
    private final CountersReader counters;
    private final int clusterId;
    private final UnsafeBuffer header = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH]);
    private final DirectBufferVector entries = new DirectBufferVector();
    private final DirectBufferVector[] greeting;
    private final DirectBufferVector[] batch;
    private final NodeThread thread;
    private volatile boolean closed;

    // Owned by the ingress's thread.
    private AeronCluster.AsyncConnect connecting;
    private AeronCluster cluster;
    private boolean greeted;
    private long sent;
    private long headBefore;
    private long headNanos;
    private long greetNanos;
    private long connectedNanos;
    private long retryNanos;
    private long lostNanos = System.nanoTime();
    private boolean saidNoLeader;
    private boolean saidRefused;

    /**
     * @param life the node's life
     * @param epoch the epoch for a stream that has none yet
     * @param credentials for the leader
     * @param failed gets the error that has ended the thread
     */
    Ingress(
            NodePlace place,
            Aeron aeron,
            long life,
            long epoch,
            CredentialsSupplier credentials,
            ClusterOrderer orderer,
            RelayService service,
            Consumer<Throwable> failed) {
        ClusterFile file = place.file();
        this.who = place.who();
        this.members = new TreeMap<>(file.members()).toString();
        this.service = service;
        this.counters = aeron.countersReader();
        this.clusterId = AeronParts.clusterId(file);
        this.orderer = orderer;
        this.outgoing = orderer.outgoing();
        Batch.putHeader(header, place.node(), ClusterState.idOf(file.name()), life, epoch, orderer.maxBody());
        DirectBufferVector headed = new DirectBufferVector(header, 0, Batch.HEADER_LENGTH);
        this.greeting = new DirectBufferVector[] {null, headed};
        this.batch = new DirectBufferVector[] {null, headed, entries};
        this.context = new AeronCluster.Context()
                .aeron(aeron)
                .ownsAeronClient(false)
                .ingressChannel(file.aeronMessages())
                .ingressEndpoints(file.aeronIngress())
                .egressChannel(
                        "aeron:udp?term-length=64k|endpoint=" + place.member().host() + ":0")
                .credentialsSupplier(credentials)
                .egressListener(this)
                .errorHandler(e -> LOG.debug("{}: {}", who, e.getMessage()));
        this.thread = new NodeThread("relay-cluster-ingress", this::run, failed);
    }

    void start() {
        thread.start();
    }

    private void run() {
        IdleStrategy idle = new Idle();
        while (!closed) {
            int work = 0;
            try {
                work = pollAndOffer(System.nanoTime());
            } catch (AuthenticationException e) {
                refused(e);
                drop();
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.debug("{}: {}", who, e.getMessage());
                    drop();
                }
            }
            boolean listens = work == 0 && cluster != null && greeted;
            if (listens && outgoing.awaitBeyond(sent, LISTEN_NANOS)) {
                idle.reset();
            } else {
                idle.idle(work);
            }
        }
        CloseHelper.quietCloseAll(connecting, cluster);
    }

    private int pollAndOffer(long now) {
        if (cluster == null) {
            return connect(now);
        }
        int work = cluster.pollEgress();
        long since = Math.max(connectedNanos, service.heardNanos());
        if (cluster.isClosed() || now - since > DEAF_NANOS) {
            drop();
            return 1;
        }
        if (now - greetNanos > GREET_NANOS) {
            greetNanos = now;
            greeted = false;
        }
        return work + offer(now);
    }

    private void refused(AuthenticationException e) {
        if (!saidRefused) {
            saidRefused = true;
            LOG.warn(
                    "{} is refused by the node that leads ({}): the secret in cluster.secret-file has to be the same on"
                            + " all nodes",
                    who,
                    e.getMessage());
        }
    }

    private int connect(long now) {
        if (!saidNoLeader && now - lostNanos > QUIET_NANOS) {
            saidNoLeader = true;
            LOG.warn(
                    "{} has no leader: nothing comes into order here until {}",
                    who,
                    isElected() ? "there is one" : "it is one of a majority of " + members);
        }
        if (connecting == null) {
            if (now - retryNanos < 0 || !isElected()) {
                return 0;
            }
            connecting = AeronCluster.asyncConnect(context.clone());
        }
        cluster = connecting.poll();
        if (cluster != null) {
            connecting = null;
            service.leaderFound(cluster.leadershipTermId(), cluster.leaderMemberId());
            connectedNanos = now;
            greeted = false;
            goBack(now);
            if (saidNoLeader) {
                LOG.info("{} has a leader again: node {}", who, cluster.leaderMemberId());
            }
            saidNoLeader = false;
            saidRefused = false;
        }
        return cluster == null ? 0 : 1;
    }

    /**
     * Whether this node has taken part in an election. Until then the other members may know another node by this
     * number, and a connection would replace that node's. After a snapshot, the log may contain no election.
     */
    private boolean isElected() {
        int state = ClusterCounters.find(counters, ConsensusModule.Configuration.ELECTION_STATE_TYPE_ID, clusterId);
        return service.term() >= 0 || state >= 0 && counters.getCounterValue(state) == ElectionState.CLOSED.code();
    }

    /** Goes back to the first entry that is not ordered: offered entries may be lost. */
    private void goBack(long now) {
        sent = outgoing.head();
        headBefore = sent;
        headNanos = now;
    }

    private void drop() {
        if (cluster != null || connecting != null) {
            CloseHelper.quietCloseAll(connecting, cluster);
            connecting = null;
            cluster = null;
            lostNanos = saidNoLeader ? lostNanos : System.nanoTime();
        }
        retryNanos = System.nanoTime() + RETRY_NANOS;
    }

    private int offer(long now) {
        if (!greeted) {
            header.putLong(Batch.POSITION_OFFSET, orderer.appended());
            greeted = cluster.offer(greeting) > 0;
            return greeted ? 1 : 0;
        }
        long head = outgoing.head();
        if (head != headBefore || head == sent) {
            headBefore = head;
            headNanos = now;
        } else if (now - headNanos > STUCK_NANOS) {
            goBack(now);
        }
        sent = outgoing.skipPadding(outgoing.beginRead(sent));
        try {
            int bytes = outgoing.wholeEntries(sent, BATCH_BYTES);
            if (bytes == 0) {
                return 0;
            }
            entries.reset(outgoing.memory(), outgoing.at(sent), bytes);
            if (cluster.offer(batch) < 0) {
                return 0;
            }
            sent += bytes;
            return 1;
        } finally {
            outgoing.endRead();
        }
    }

    @Override
    public void onMessage(
            long clusterSessionId, long timestamp, DirectBuffer buffer, int offset, int length, Header itsHeader) {
        // Nodes learn everything from the cluster's log.
    }

    @Override
    public void onNewLeader(long clusterSessionId, long leadershipTermId, int leader, String endpoints) {
        goBack(System.nanoTime());
    }

    @Override
    public void close() {
        closed = true;
        thread.awaitEnd();
    }
}
