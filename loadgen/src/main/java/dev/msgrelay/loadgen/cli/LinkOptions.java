package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import java.io.IOException;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which link: given, or read from an interface of this host. What is given goes before what is read. */
final class LinkOptions extends Options {
    private static final int ETHERNET_MTU = 1_500;
    private static final long MEGA = 1_000_000L;

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "1gbe, 10gbe, 25gbe, 100gbe, or any speed like 2.5g or 100m.")
    private String speed;

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description =
                    "Read speed and MTU from this network interface, as far as --link and --mtu do not give them.")
    private String interfaceName;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            description = "The largest IP packet, without the Ethernet header (1500, or the interface's).")
    private Integer mtu;

    @Option(names = "--ipv6", description = "IPv6 instead of IPv4: headers are 20 bytes longer.")
    private boolean ipv6;

    @Option(
            names = "--no-timestamps",
            description = "Without TCP's time stamps, which Linux uses by default: headers are 12 bytes shorter.")
    private boolean noTimestamps;

    @Option(names = "--vlan", description = "With an 802.1Q tag: frames are 4 bytes longer.")
    private boolean vlan;

    @Option(
            names = "--emulated",
            description = "A link whose rate 'tc tbf' keeps: it counts no preamble, checksum and gap, and is faster.")
    private boolean emulated;

    /** Whether any of these was given. */
    boolean isGiven() {
        return speed != null || interfaceName != null || mtu != null || ipv6 || noTimestamps || vlan || emulated;
    }

    /**
     * @throws ParameterException naming the value and the limit
     * @throws IOException the interface does not tell what is needed
     */
    Link link(NetInterfaces interfaces) throws IOException {
        refuse(speed == null && interfaceName == null, "which link? give --link or --interface");
        NetInterface from = interfaceName == null ? null : networkInterface(interfaces, interfaceName);
        refuse(
                from != null && from.loopback(),
                "--interface " + interfaceName + " is loopback, which has no line rate:"
                        + " 'loadgen ceiling' without a link measures what it can do");
        // All that was given is checked before anything is missed that was not.
        LinkSpeed given = speed == null ? null : parsed("--link: ", speed, LinkSpeed::parse);
        SegmentFormat format = format(from);
        return new Link(given == null ? speedOf(from) : given, format);
    }

    private static LinkSpeed speedOf(NetInterface from) throws IOException {
        long megabits = from.megabitsPerSecond()
                .orElseThrow(() -> new IOException(
                        "the system does not tell the speed of " + from.name() + ": give it by --link"));
        try {
            return new LinkSpeed(megabits * MEGA);
        } catch (IllegalArgumentException e) {
            throw new IOException("the speed of " + from.name() + ": " + e.getMessage() + "; give it by --link", e);
        }
    }

    private SegmentFormat format(NetInterface from) {
        IpVersion ip = ipv6 ? IpVersion.V6 : IpVersion.V4;
        boolean read = mtu == null && from != null && from.mtu().isPresent();
        int bytes = read ? from.mtu().getAsInt() : mtu == null ? ETHERNET_MTU : mtu;
        Framing framing = emulated ? Framing.TRAFFIC_CONTROL : Framing.ETHERNET;
        return parsed(
                (read ? "--interface " + from.name() : "--mtu") + ": ",
                "",
                text -> new SegmentFormat(bytes, ip, !noTimestamps, vlan, framing));
    }
}
