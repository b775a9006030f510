package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.host.NetInterface;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.lane.LaneLink;
import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What is known about the link between this host and a second one: what was given, else what both hosts' systems say of
 * the interfaces at its ends, of which the slower and the smaller count.
 *
 * @param speed given, or null
 * @param mtu given, or 0
 */
public record RemoteLink(LinkSpeed speed, int mtu) {
    /** Nothing is given: all is read. */
    public static final RemoteLink READ = new RemoteLink(null, 0);

    private static final long MEGA = 1_000_000L;

    /**
     * The link; null where nobody knows its speed or its MTU, or where both ends are one host and there is none.
     *
     * @param near this end's address
     * @param far the other end's address
     * @param facts what the second host tells of its interface
     * @throws IllegalArgumentException naming a value that no link can have
     */
    LaneLink between(InetAddress near, InetAddress far, HostFacts facts, SystemTree tree) {
        NetInterfaces all = new NetInterfaces(tree);
        Optional<NetInterface> local = interfaceOf(near, all);
        boolean oneHost = far.isLoopbackAddress()
                || local.map(NetInterface::loopback).orElse(false)
                || interfaceOf(far, all).isPresent();
        boolean timestamps = tree.number("proc/sys/net/ipv4/tcp_timestamps").orElse(1) != 0;
        IpVersion ip = near instanceof Inet6Address ? IpVersion.V6 : IpVersion.V4;
        return oneHost && speed == null ? null : of(local, facts.mtu(), facts.megabitsPerSecond(), ip, timestamps);
    }

    /** From the interfaces at both ends. */
    LaneLink of(
            Optional<NetInterface> near,
            OptionalInt farMtu,
            OptionalLong farMegabits,
            IpVersion ip,
            boolean timestamps) {
        OptionalLong megabits =
                smaller(near.map(NetInterface::megabitsPerSecond).orElse(OptionalLong.empty()), farMegabits);
        OptionalLong bytes = smaller(widened(near.map(NetInterface::mtu).orElse(OptionalInt.empty())), widened(farMtu));
        if (speed == null && megabits.isEmpty() || mtu == 0 && bytes.isEmpty()) {
            return null;
        }
        LinkSpeed line = speed != null ? speed : new LinkSpeed(megabits.getAsLong() * MEGA);
        int packet = mtu != 0 ? mtu : (int) Math.min(SegmentFormat.MAX_MTU, bytes.getAsLong());
        return new LaneLink(line, new SegmentFormat(packet, ip, timestamps, false, Framing.ETHERNET));
    }

    /** The interface of this host that has an address; empty where none has. */
    static Optional<NetInterface> interfaceOf(InetAddress address, NetInterfaces all) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(address);
            return found == null
                    ? Optional.empty()
                    : Optional.of(all.named(found.getName()).orElse(told(found)));
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    /** As the JDK tells of it: in a network namespace, /sys may still be the one outside, and not know it. */
    private static NetInterface told(NetworkInterface found) throws SocketException {
        return new NetInterface(
                found.getName(),
                found.isUp(),
                found.isLoopback(),
                found.isUp() ? "up" : "down",
                OptionalInt.of(found.getMTU()),
                OptionalLong.empty(),
                Optional.empty());
    }

    private static OptionalLong widened(OptionalInt value) {
        return value.isPresent() ? OptionalLong.of(value.getAsInt()) : OptionalLong.empty();
    }

    private static OptionalLong smaller(OptionalLong one, OptionalLong other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return OptionalLong.of(Math.min(one.getAsLong(), other.getAsLong()));
    }
}
