package dev.msgrelay.server.ops;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * How many connections there are, in all and of one address, and whether there may be one more. Any thread; a lock, taken
 * when a connection comes and when it goes.
 *
 * <p>All Unix sockets are one address, and have no limit of an address: whoever may open the file is on this host. Of IPv6 an
 * address is a network of 64 bits.
 */
public final class Admission {
    /** Addresses that are remembered without a connection at most: then those whose buckets are full are forgotten. */
    private static final int IDLE_ADDRESSES = 4096;

    /** Refused connections that are there to be told so, at the same time. Others are closed at once. */
    public static final int MOST_TOLD = 64;

    /** Of an IPv6 address, in bytes: what a host may choose itself. */
    private static final int HOST_PART = 8;

    /** One that was let in. */
    public record Ticket(boolean publisher, InetAddress address) {}

    /** Why one is not let in, with the limit; or its ticket. */
    public record Answer(Ticket ticket, CloseReason refusal, String text) {}

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
    private int beingTold;
    private int lookAt = IDLE_ADDRESSES;

    public Admission(ClientConfig clients, LimitsConfig limits) {
        this.clients = clients;
        this.limits = limits;
    }

    /** Counts one more in, which {@link #left} takes out again; or says why there may not be one. */
    public synchronized Answer admit(boolean publisher, SocketAddress peer, long nowNanos) {
        if (connections >= clients.maxConnections()) {
            return refuse(CloseReason.TOO_MANY_CONNECTIONS, clients.maxConnections(), "connection", "");
        }
        if (publisher && publishers >= clients.maxPublishers()) {
            return refuse(CloseReason.TOO_MANY_PUBLISHERS, clients.maxPublishers(), "publisher", "");
        }
        InetAddress from = network(peer);
        if (from != null) {
            Address address = addresses.get(from);
            if (address == null) {
                forgetIdle(nowNanos);
                address = new Address(limits);
                addresses.put(from, address);
            }
            if (address.connections >= limits.maxPerAddress()) {
                return refuse(
                        CloseReason.TOO_MANY_FROM_ADDRESS, limits.maxPerAddress(), "connection", " of " + text(from));
            }
            if (!address.handshakes.tryTake(nowNanos)) {
                return new Answer(
                        null,
                        CloseReason.TOO_MANY_FROM_ADDRESS,
                        "there were more than " + limits.handshakesPerSecond() + " connects a second of " + text(from)
                                + ", which is the limit");
            }
            address.connections++;
        }
        connections++;
        publishers += publisher ? 1 : 0;
        return new Answer(new Ticket(publisher, from), null, "");
    }

    private static Answer refuse(CloseReason reason, int limit, String what, String whose) {
        return new Answer(null, reason, ShortText.there(limit, what) + whose + " already, which is the limit");
    }

    /** Whether one that was refused may stay until it has been told; then {@link #told} ends that. */
    public synchronized boolean mayBeTold() {
        if (beingTold == MOST_TOLD) {
            return false;
        }
        beingTold++;
        return true;
    }

    /** A connection that was refused, and {@link #mayBeTold}, is gone. */
    public synchronized void told() {
        beingTold--;
    }

    /** A connection that was admitted is gone. */
    public synchronized void left(Ticket ticket) {
        connections--;
        publishers -= ticket.publisher ? 1 : 0;
        Address address = ticket.address == null ? null : addresses.get(ticket.address);
        if (address != null) {
            address.connections--;
        }
    }

    /** Whether a peer may start behind the head once more now: null, or why not, with the limit. */
    public synchronized String refuseReplay(SocketAddress peer, long nowNanos) {
        InetAddress from = network(peer);
        Address address = addresses.get(from);
        if (address == null || address.replays.tryTake(nowNanos)) {
            return null;
        }
        return "there were more than " + limits.replaysPerSecond() + " starts behind the head a second of " + text(from)
                + ", which is the limit";
    }

    /**
     * What counts as one address; null of a Unix socket. A host with IPv6 is given 2^64 addresses to choose from, and may take
     * another one for each connection, so it is counted by the first half. On a link without a router all hosts have the same
     * first half (fe80::/10): there it is the whole address.
     */
    static InetAddress network(SocketAddress peer) {
        InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
        if (!(address instanceof Inet6Address) || address.isLinkLocalAddress()) {
            return address;
        }
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, HOST_PART, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(InetAddress network) {
        boolean half = network instanceof Inet6Address && !network.isLinkLocalAddress();
        return NetUtil.toAddressString(network) + (half ? "/64" : "");
    }

    private void forgetIdle(long nowNanos) {
        if (addresses.size() >= lookAt) {
            addresses
                    .values()
                    .removeIf(a -> a.connections == 0 && a.handshakes.full(nowNanos) && a.replays.full(nowNanos));
            // Not at every new address while many are in use: a look at all of them is paid for by as many that came.
            lookAt = Math.max(IDLE_ADDRESSES, 2 * addresses.size());
        }
    }
}
