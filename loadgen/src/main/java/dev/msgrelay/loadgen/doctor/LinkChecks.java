package dev.msgrelay.loadgen.doctor;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.Offloads;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The links of this host, those that are there and those that can be emulated. */
final class LinkChecks {
    private static final long GIGABIT = 1_000;
    private static final int ETHERNET_MTU = 1_500;
    private static final long MEGA = 1_000_000L;

    private LinkChecks() {}

    static Finding link(NetInterface link) {
        boolean told = link.up() && !link.loopback() && link.megabitsPerSecond().isPresent();
        long megabits = told ? link.megabitsPerSecond().getAsLong() : 0;
        String duplex = link.duplex().map(kind -> ", " + kind + " duplex").orElse("");
        String unknown = link.loopback() ? "loopback" : link.state() + ", speed unknown";
        return Finding.at(link.name() + " link", told ? speed(megabits) + duplex : link.up() ? unknown : link.state())
                .warning(!link.up(), "nothing can be sent over it")
                .fine(link.loopback(), "has no line rate: 'loadgen ceiling' measures what it can do")
                .note(!told, "its driver tells no speed, as usual for virtual ones: give 'ceiling' one by --link")
                .warning(
                        link.duplex().filter("half"::equals).isPresent(),
                        "both directions share the line: no ceiling holds")
                .note(megabits < GIGABIT, "slow for a test of speed; see 'ceiling --interface " + link.name() + "'")
                .fine("'ceiling --interface " + link.name() + "' tells what that could give")
                .with("up", link.up())
                .with("megabitsPerSecond", told ? megabits : null);
    }

    private static String speed(long megabits) {
        try {
            return new LinkSpeed(Math.multiplyExact(megabits, MEGA)).toString();
        } catch (IllegalArgumentException | ArithmeticException e) {
            return megabits + " Mbit/s";
        }
    }

    static Finding mtu(NetInterface link) {
        String name = link.name() + " MTU";
        if (link.mtu().isEmpty()) {
            return Finding.at(name, null).unknown("segments follow from it");
        }
        int mtu = link.mtu().getAsInt();
        return Finding.at(name, mtu)
                .note(mtu < ETHERNET_MTU, mtuMeaning(mtu, link.loopback()))
                .fine(mtuMeaning(mtu, link.loopback()))
                .with("bytes", mtu);
    }

    private static String mtuMeaning(int mtu, boolean loopback) {
        if (mtu < IpVersion.V4.minMtu()) {
            return "too small for IP";
        }
        SegmentFormat format = SegmentFormat.usual(Math.min(mtu, SegmentFormat.MAX_MTU));
        int segment = format.segmentBytes();
        if (loopback) {
            return format("segments of %,d bytes: writes are whole numbers of them", segment);
        }
        double percent = 100.0 * segment / format.wireBytes(segment);
        String meaning = format("segments of %,d bytes, at most %.1f %% of an Ethernet's line rate", segment, percent);
        if (mtu < ETHERNET_MTU) {
            return meaning + "; less than the usual 1500: a tunnel or a cloud's network";
        }
        return mtu > ETHERNET_MTU ? meaning + "; everything up to the other host must take as much" : meaning;
    }

    static Finding offloads(String interfaceName, Optional<Offloads> told) {
        String name = interfaceName + " offloads";
        if (told.isEmpty()) {
            return Finding.at(name, null)
                    .unknown("ethtool is not here, or does not tell; were all off, each segment would go through the"
                            + " kernel by itself");
        }
        Offloads offloads = told.get();
        String value = Arrays.stream(Offloads.Kind.values())
                .filter(kind -> offloads.state(kind).isPresent())
                .map(kind -> (offloads.state(kind).orElseThrow() ? "" : "no ") + kind)
                .collect(Collectors.joining(", "));
        String meaning = offloadsMeaning(offloads) + " (told by " + offloads.source() + ")";
        Finding finding = Finding.at(name, value)
                .note(isOff(offloads, Offloads.Kind.TSO) || isOff(offloads, Offloads.Kind.GRO), meaning)
                .fine(meaning);
        for (Offloads.Kind kind : Offloads.Kind.values()) {
            finding = finding.with(kind.toString(), offloads.state(kind).orElse(null));
        }
        return finding;
    }

    private static String offloadsMeaning(Offloads offloads) {
        if (isOff(offloads, Offloads.Kind.TSO) && isOff(offloads, Offloads.Kind.GSO)) {
            return "every segment sent goes through the kernel by itself: the CPU is the limit, not the link";
        }
        if (isOff(offloads, Offloads.Kind.GRO)) {
            return "every segment received goes through the kernel by itself: the CPU may be the limit, not the link";
        }
        return isOff(offloads, Offloads.Kind.TSO)
                ? "the kernel cuts segments itself: more CPU time per byte sent"
                : "large writes are cut into segments below the kernel, or late in it";
    }

    private static boolean isOff(Offloads offloads, Offloads.Kind kind) {
        return !offloads.state(kind).orElse(true);
    }

    static Finding lanes(LaneTools tools) {
        return Finding.at("emulated links", tools.available() ? "possible " + tools.way() : "not possible")
                .fine(tools.available(), "network namespaces, veth and tc tbf work here")
                .note(tools.reason() + ": needs ip, tc, and root or user namespaces")
                .with("possible", tools.available())
                .with("reason", tools.reason());
    }
}
