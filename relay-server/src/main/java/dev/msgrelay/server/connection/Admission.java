package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.figures.ProbeLog;
import dev.msgrelay.server.figures.TokenBucket;
import io.netty.channel.local.LocalAddress;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts connections, in total and for each address, and decides whether to admit one more. For any thread, with a lock
 * that is held only for a moment.
 *
 * <p>Clients of Unix sockets have no address, so the limits for an address do not apply to them. All IPv6 addresses of
 * a /64 network count as one address.
 */
public final class Admission {
    /** When this many addresses are known, those without connections and with full token buckets are forgotten. */
    private static final int IDLE_ADDRESSES = 4096;

    /** Longest wait that a refused client is told, about as long as a client's longest pause between two tries. */
    private static final long MOST_PROMISED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Stands for an admitted connection, which is counted until {@link #left} gets this ticket. */
    public record Ticket(boolean publisher, InetAddress address) {}

    /** Either the ticket of an admitted connection or, if {@code ticket} is null, the refusal. */
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

    /** Admits a connection behind a proxy, whose address is not known yet; see {@link #readmit}. */
    public Answer admitUnnamed(boolean publisher, long nowNanos) {
        return admit(publisher, LocalAddress.ANY, nowNanos);
    }

    /** Admits a connection, which is counted until {@link #left}, or refuses it. */
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

    /**
     * Admits a connection anew, by the address that its proxy has told, or refuses it. The ticket is used up in both
     * cases.
     */
    public synchronized Answer readmit(Ticket ticket, SocketAddress peer, long nowNanos) {
        left(ticket);
        return admit(ticket.publisher, peer, nowNanos);
    }

    private static Answer refuse(CloseReason reason, int limit, String what, String whose) {
        return new Answer(
                null, new Refusal(reason, ShortText.there(limit, what) + whose + " already, which is the limit"));
    }

    /** Refuses a client that exceeds a rate. Clients are told different waits, so that they do not return together. */
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

    /** Returns whether a peer may start in the journal now. If so, the start is counted for the address of the peer. */
    public synchronized boolean mayReplay(SocketAddress peer, long nowNanos) {
        Address address = addresses.get(ProbeLog.network(peer));
        return address == null || address.replays.tryTake(nowNanos);
    }

    /** Returns the refusal of a peer for which {@link #mayReplay} has been false for too long. */
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
            // The next clean-up waits until the number of addresses has doubled, which keeps its average cost small.
            lookAt = Math.max(IDLE_ADDRESSES, 2 * addresses.size());
        }
    }
}
