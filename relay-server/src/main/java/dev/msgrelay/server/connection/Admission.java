package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.figures.ProbeLog;
import dev.msgrelay.server.figures.TokenBucket;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts connections, in all and by address, and decides whether there may be one more. Any thread; a lock, taken when
 * a connection comes and when it goes.
 *
 * <p>All Unix sockets count as one address, and have no limit by address: a client that may open the file is on this
 * host. An IPv6 address is a network of 64 bits.
 */
public final class Admission {
    /** Most addresses without a connection: beyond it, addresses with full buckets are forgotten. */
    private static final int IDLE_ADDRESSES = 4096;

    /** Longest wait that a refused client is told: about a client's own longest. */
    private static final long MOST_PROMISED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The place of an admitted connection, for {@link #left} to give back. */
    public record Ticket(boolean publisher, InetAddress address) {}

    /** The ticket of an admitted connection; or, with a null ticket, the refusal. */
    public record Answer(Ticket ticket, Refusal refusal) {}

    private static final class Address {
        int connections;
        final TokenBucket handshakes;
        final TokenBucket replays;

        Address(LimitsConfig limits) {
            handshakes = new TokenBucket(limits.handshakesPerSecond(), limits.handshakesPerSecond());
            replays = new TokenBucket(limits.replaysPerSecond(), limits.replaysPerSecond());
        }
    }

    private final ClientConfig clients;
    private final LimitsConfig limits;
    private final Map<InetAddress, Address> addresses = new HashMap<>();
    private int connections;
    private int publishers;
    private int lookAt = IDLE_ADDRESSES;

    public Admission(ClientConfig clients, LimitsConfig limits) {
        this.clients = clients;
        this.limits = limits;
    }

    /** Counts one more connection, until {@link #left}; or refuses it. */
    public synchronized Answer admit(boolean publisher, SocketAddress peer, long nowNanos) {
        if (connections >= clients.maxConnections()) {
            return refuse(CloseReason.TOO_MANY_CONNECTIONS, clients.maxConnections(), "connection", "");
        }
        if (publisher && publishers >= clients.maxPublishers()) {
            return refuse(CloseReason.TOO_MANY_PUBLISHERS, clients.maxPublishers(), "publisher", "");
        }
        InetAddress from = ProbeLog.network(peer);
        if (from != null) {
            Address address = addresses.get(from);
            if (address == null) {
                forgetIdle(nowNanos);
                address = new Address(limits);
                addresses.put(from, address);
            }
            if (address.connections >= limits.maxPerAddress()) {
                return refuse(
                        CloseReason.TOO_MANY_FROM_ADDRESS,
                        limits.maxPerAddress(),
                        "connection",
                        " of " + describe(from));
            }
            if (!address.handshakes.tryTake(nowNanos)) {
                return new Answer(
                        null, tooMany(limits.handshakesPerSecond(), "connects", from, address.handshakes, nowNanos));
            }
            address.connections++;
        }
        connections++;
        publishers += publisher ? 1 : 0;
        return new Answer(new Ticket(publisher, from), null);
    }

    private static Answer refuse(CloseReason reason, int limit, String what, String whose) {
        return new Answer(
                null, new Refusal(reason, ShortText.there(limit, what) + whose + " already, which is the limit"));
    }

    /** Refuses a client that comes too early; the wait that it is told is promised to no other client. */
    private static Refusal tooMany(int perSecond, String what, InetAddress from, TokenBucket bucket, long nowNanos) {
        return new Refusal(
                CloseReason.TOO_MANY_FROM_ADDRESS,
                "there were more than " + perSecond + " " + what + " a second of " + describe(from)
                        + ", which is the limit",
                (int) TimeUnit.NANOSECONDS.toMillis(bucket.promise(nowNanos, MOST_PROMISED_NANOS)) + 1);
    }

    public synchronized void left(Ticket ticket) {
        connections--;
        publishers -= ticket.publisher ? 1 : 0;
        Address address = ticket.address == null ? null : addresses.get(ticket.address);
        if (address != null) {
            address.connections--;
        }
    }

    /** Returns whether a peer may start in the journal once more now. */
    public synchronized boolean mayReplay(SocketAddress peer, long nowNanos) {
        Address address = addresses.get(ProbeLog.network(peer));
        return address == null || address.replays.tryTake(nowNanos);
    }

    /** Refuses a peer whose turn, {@link #mayReplay}, has not come in time. */
    public synchronized Refusal refuseReplay(SocketAddress peer, long nowNanos) {
        InetAddress from = ProbeLog.network(peer);
        return tooMany(limits.replaysPerSecond(), "starts in the journal", from, addresses.get(from).replays, nowNanos);
    }

    private static String describe(InetAddress network) {
        boolean half = network instanceof Inet6Address && !network.isLinkLocalAddress();
        return NetUtil.toAddressString(network) + (half ? "/64" : "");
    }

    private void forgetIdle(long nowNanos) {
        if (addresses.size() >= lookAt) {
            addresses
                    .values()
                    .removeIf(a -> a.connections == 0 && a.handshakes.full(nowNanos) && a.replays.full(nowNanos));
            // The next clean-up waits until the number of addresses has doubled, so its cost for each connect is small.
            lookAt = Math.max(IDLE_ADDRESSES, 2 * addresses.size());
        }
    }
}
