package dev.msgrelay.loadgen.doctor;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.NetInterface;
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
        String name = link.name() + " link";
        if (!link.up()) {
            return Finding.warning(name, link.state(), "nothing can be sent over it")
                    .with("up", false);
        }
        if (link.loopback()) {
            return Finding.fine(name, "loopback", "has no line rate: 'loadgen calibrate' measures what it can do")
                    .with("up", true);
        }
        if (link.megabitsPerSecond().isEmpty()) {
            return Finding.note(
                            name,
                            link.state() + ", speed unknown",
                            "its driver tells no speed, as usual for virtual ones: give 'ceiling' one by --link")
                    .with("up", true);
        }
        long megabits = link.megabitsPerSecond().getAsLong();
        String value = speed(megabits)
                + link.duplex().map(duplex -> ", " + duplex + " duplex").orElse("");
        Finding finding;
        if (link.duplex().filter("half"::equals).isPresent()) {
            finding = Finding.warning(name, value, "both directions share the line: no ceiling holds");
        } else if (megabits < GIGABIT) {
            finding = Finding.note(
                    name, value, "slow for a test of speed; see 'ceiling --interface " + link.name() + "'");
        } else {
            finding = Finding.fine(name, value, "'ceiling --interface " + link.name() + "' tells what that could give");
        }
        return finding.with("up", true).with("megabitsPerSecond", megabits);
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
            return Finding.unknown(name, "segments follow from it");
        }
        int mtu = link.mtu().getAsInt();
        return Finding.of(
                        mtu < ETHERNET_MTU ? Level.NOTE : Level.FINE,
                        name,
                        Integer.toString(mtu),
                        mtuMeaning(mtu, link.loopback()))
                .with("bytes", mtu);
    }

    private static String mtuMeaning(int mtu, boolean loopback) {
        if (mtu < IpVersion.V4.minMtu()) {
            return "too small for IP";
        }
        SegmentFormat format = SegmentFormat.usual(Math.min(mtu, SegmentFormat.MAX_MTU));
        int segment = format.segmentBytes();
        if (loopback) {
            return Texts.format("segments of %,d bytes: writes are whole numbers of them", segment);
        }
        double percent = 100.0 * segment / format.wireBytes(segment);
        String meaning =
                Texts.format("segments of %,d bytes, at most %.1f %% of an Ethernet's line rate", segment, percent);
        if (mtu < ETHERNET_MTU) {
            return meaning + "; less than the usual 1500: a tunnel or a cloud's network";
        }
        return mtu > ETHERNET_MTU ? meaning + "; everything up to the other host must take as much" : meaning;
    }

    static Finding offloads(String interfaceName, Optional<Offloads> told) {
        String name = interfaceName + " offloads";
        if (told.isEmpty()) {
            return Finding.unknown(
                    name,
                    "ethtool is not here, or does not tell; were all off, each segment would go through the kernel by itself");
        }
        Offloads offloads = told.get();
        String value = Arrays.stream(Offloads.Kind.values())
                .filter(kind -> offloads.state(kind).isPresent())
                .map(kind -> (offloads.state(kind).orElseThrow() ? "" : "no ") + kind)
                .collect(Collectors.joining(", "));
        Finding finding = Finding.of(
                isOff(offloads, Offloads.Kind.TSO) || isOff(offloads, Offloads.Kind.GRO) ? Level.NOTE : Level.FINE,
                name,
                value,
                offloadsMeaning(offloads) + " (told by " + offloads.source() + ")");
        for (Offloads.Kind kind : Offloads.Kind.values()) {
            if (offloads.state(kind).isPresent()) {
                finding = finding.with(kind.toString(), offloads.state(kind).orElseThrow());
            }
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
        return tools.available()
                ? Finding.fine(
                                "emulated links",
                                "possible " + tools.way(),
                                "network namespaces, veth and tc tbf work here")
                        .with("possible", true)
                : Finding.note(
                                "emulated links",
                                "not possible",
                                tools.reason() + ": needs ip, tc, and root or user namespaces")
                        .with("possible", false)
                        .with("reason", tools.reason());
    }
}
