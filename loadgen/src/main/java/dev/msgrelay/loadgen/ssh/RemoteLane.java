package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The link between this host, where the relay is, and a second one. */
public final class RemoteLane {
    /**
     * What is known beforehand.
     *
     * @param near address at which the second host reaches this one; null: the one from which ssh came
     * @param far address at which this host reaches the second one; null: the one to which ssh came
     * @param ports at which the relay listens, and what sends in its place
     * @param speed of the link, or null; where it is not given, what both hosts' systems say of the interfaces at its ends,
     *     of which the slower one counts
     * @param mtu of the link, or 0; likewise, the smaller one
     */
    public record Given(String near, String far, Site.DataPorts ports, LinkSpeed speed, int mtu) {
        private static final long MEGA = 1_000_000L;

        /**
         * The link; null where nobody knows its speed or its MTU, or where both ends are one host and there is none.
         *
         * @param near this end's address
         * @param far the other end's address
         * @param facts what the second host tells of its interface
         * @throws IllegalArgumentException naming a value that no link can have
         */
        Link between(InetAddress near, InetAddress far, HostMain.Facts facts, SystemTree tree) {
            NetInterfaces all = new NetInterfaces(tree);
            Optional<NetInterface> local = all.withAddress(near);
            boolean oneHost = far.isLoopbackAddress()
                    || local.map(NetInterface::loopback).orElse(false)
                    || all.withAddress(far).isPresent();
            boolean timestamps = tree.number("proc/sys/net/ipv4/tcp_timestamps").orElse(1) != 0;
            IpVersion ip = near instanceof Inet6Address ? IpVersion.V6 : IpVersion.V4;
            return oneHost && speed == null ? null : of(local, facts.mtu(), facts.megabitsPerSecond(), ip, timestamps);
        }

        /** From the interfaces at both ends. */
        Link of(
                Optional<NetInterface> near,
                OptionalInt farMtu,
                OptionalLong farMegabits,
                IpVersion ip,
                boolean timestamps) {
            OptionalLong megabits =
                    smaller(near.map(NetInterface::megabitsPerSecond).orElse(OptionalLong.empty()), farMegabits);
            OptionalLong bytes =
                    smaller(widened(near.map(NetInterface::mtu).orElse(OptionalInt.empty())), widened(farMtu));
            if (speed == null && megabits.isEmpty() || mtu == 0 && bytes.isEmpty()) {
                return null;
            }
            LinkSpeed line = speed != null ? speed : new LinkSpeed(megabits.getAsLong() * MEGA);
            int packet = mtu != 0 ? mtu : (int) Math.min(SegmentFormat.MAX_MTU, bytes.getAsLong());
            return new Link(line, new SegmentFormat(packet, ip, timestamps, false, Framing.ETHERNET));
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

    private RemoteLane() {}

    /**
     * Begins the talk with the host, measures its clock, and tries whether it reaches this one. The far site is an {@link
     * SshSite}; what still runs there when the lane is closed is killed.
     *
     * @throws IOException why not, in one line that names the host; nothing is left behind
     */
    public static Lane open(SshHost host, Given given) throws IOException, InterruptedException {
        SshSite far =
                SshSite.open(host, given.far() == null ? "" : literal("--far-address", given.far()), given.ports());
        try {
            return open(far, given);
        } catch (IllegalArgumentException e) {
            far.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException | InterruptedException | RuntimeException e) {
            far.close();
            throw e;
        }
    }

    private static Lane open(SshSite far, Given given) throws IOException, InterruptedException {
        if (far.address().isEmpty()) {
            throw new IOException(far.name() + " does not tell at which address it was reached: give --far-address");
        }
        String near = nearAddress(far, given.near());
        checkReach(far, near, given.ports());
        Link link = given.between(
                InetAddress.getByName(near),
                InetAddress.getByName(far.address()),
                far.facts(),
                SystemTree.ofThisHost());
        return new Lane(
                LaneSpec.of(LaneKind.REMOTE),
                new HostSite("this host", List.of(), near, given.ports()),
                far,
                link,
                far::close);
    }

    private static String nearAddress(SshSite far, String given) throws IOException {
        String near = given == null ? far.facts().near() : literal("--near-address", given);
        if (near.isEmpty()) {
            throw new IOException(far.name() + " does not tell from which address it was reached: give --near-address");
        }
        if (NetworkInterface.getByInetAddress(InetAddress.getByName(near)) == null) {
            throw new IOException(
                    given == null
                            ? far.name() + " sees this host as " + near
                                    + ", which is none of its addresses (a jump host or NAT"
                                    + " between them?): say by --near-address where it reaches this host"
                            : "--near-address " + near + " is none of this host's addresses");
        }
        return near;
    }

    /** A firewall is known now, by what it is, and not when the first subscriber waits in vain. */
    private static void checkReach(SshSite far, String near, Site.DataPorts ports)
            throws IOException, InterruptedException {
        checkReach(far, near, ports.publish());
        if (!ports.equals(Site.DataPorts.ANY)) {
            checkReach(far, near, ports.subscribe());
        }
    }

    private static void checkReach(SshSite far, String near, int port) throws IOException, InterruptedException {
        try (ServerSocket listener = listen(near, port)) {
            String why = far.talk().whyNotReached(near, listener.getLocalPort());
            if (why != null) {
                throw new IOException(far.name() + " cannot connect to " + near + " port " + listener.getLocalPort()
                        + " of this host: " + why + " (a firewall? it has to let "
                        + (port == 0 ? "the ports of --data-ports" : "this port") + " pass)");
            }
        }
    }

    private static ServerSocket listen(String near, int port) throws IOException {
        try {
            return new ServerSocket(port, 1, InetAddress.getByName(near));
        } catch (IOException e) {
            throw new IOException("cannot listen on " + near + " port " + port + ": " + e.getMessage(), e);
        }
    }

    /** As a number: workers look no name up. */
    private static String literal(String option, String host) throws IOException {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IOException(option + ": unknown host '" + host + "'", e);
        }
    }
}
