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
 * Counts connections, in all and by address, and decides whether there may be one more. Any thread, with a lock that
 * is taken when a connection comes and when it goes.
 *
 * <p>Clients of Unix sockets have no address, and so no limit by address: they are on this host, and may open the file.
 * All IPv6 addresses of a /64 network count as one.
 */
public final class Admission {
    /** From this number of addresses on, those without connections and with full buckets are forgotten. */
    private static final int IDLE_ADDRESSES = 4096;

    /** Longest wait that a refused client is told: about the longest pause of a client between two tries. */
    private static final long MOST_PROMISED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The count of an admitted connection, which {@link #left} ends. */
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

    /** Refuses a client that comes too early. Clients are told different waits, so as not to return together. */
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

    /** Returns whether a peer may start in the journal now; if so, counts that. */
    public synchronized boolean mayReplay(SocketAddress peer, long nowNanos) {
        Address address = addresses.get(ProbeLog.network(peer));
        return address == null || address.replays.tryTake(nowNanos);
    }

    /** Refuses a peer for which {@link #mayReplay} has been false for too long. */
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
