package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an interface does in the kernel's stead, or in one go for many segments.
 *
 * @param states on or off, of those that are known
 * @param source where it was read, for people
 */
public record Offloads(Map<Offloads.Kind, Boolean> states, String source) {
    /** The offloads that matter for a stream of TCP, with ethtool's names. */
    public enum Kind {
        TSO("tcp-segmentation-offload"),
        GSO("generic-segmentation-offload"),
        GRO("generic-receive-offload"),
        LRO("large-receive-offload"),
        TX_CHECKSUM("tx-checksumming"),
        RX_CHECKSUM("rx-checksumming");

        private final String ethtoolName;

        Kind(String ethtoolName) {
            this.ethtoolName = ethtoolName;
        }

        /** "tso", "rx checksum". */
        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
        }
    }

    /** Bits of a virtio network device (virtio specification, 5.1.3). */
    private static final int VIRTIO_CSUM = 0;

    private static final int VIRTIO_GUEST_CSUM = 1;
    private static final int VIRTIO_GUEST_TSO4 = 7;
    private static final int VIRTIO_HOST_TSO4 = 11;

    /** Asks ethtool, and the virtio device where there is no ethtool; empty when neither tells. */
    public static Optional<Offloads> read(String name, SystemTree tree, Tool tool) throws InterruptedException {
        try {
            Tool.Outcome told = tool.run(List.of("ethtool", "-k", name));
            Optional<Offloads> offloads = told.succeeded() ? fromEthtool(told.output()) : Optional.empty();
            if (offloads.isPresent()) {
                return offloads;
            }
        } catch (IOException e) {
            // no ethtool here
        }
        return tree.text("sys/class/net/" + name + "/device/features").flatMap(Offloads::fromVirtio);
    }

    /** The output of {@code ethtool -k}: {@code "tcp-segmentation-offload: off [fixed]"}. */
    static Optional<Offloads> fromEthtool(String output) {
        Map<Kind, Boolean> states = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            output.lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith(kind.ethtoolName + ":"))
                    .map(line -> line.substring(kind.ethtoolName.length() + 1).strip())
                    .filter(state -> state.startsWith("on") || state.startsWith("off"))
                    .findFirst()
                    .ifPresent(state -> states.put(kind, state.startsWith("on")));
        }
        return states.isEmpty() ? Optional.empty() : Optional.of(new Offloads(states, "ethtool"));
    }

    /** What a virtio device and its host agreed upon: one digit a bit, from bit 0. GSO and GRO are not told there. */
    static Optional<Offloads> fromVirtio(String bits) {
        if (bits.length() <= VIRTIO_HOST_TSO4 || !bits.matches("[01]+")) {
            return Optional.empty();
        }
        Map<Kind, Boolean> states = new EnumMap<>(Kind.class);
        states.put(Kind.TSO, isSet(bits, VIRTIO_HOST_TSO4));
        states.put(Kind.LRO, isSet(bits, VIRTIO_GUEST_TSO4));
        states.put(Kind.TX_CHECKSUM, isSet(bits, VIRTIO_CSUM));
        states.put(Kind.RX_CHECKSUM, isSet(bits, VIRTIO_GUEST_CSUM));
        return Optional.of(new Offloads(states, "the virtio device; no ethtool here"));
    }

    private static boolean isSet(String bits, int bit) {
        return bits.charAt(bit) == '1';
    }

    /** On, off, or empty where it is not known. */
    public Optional<Boolean> state(Kind kind) {
        return Optional.ofNullable(states.get(kind));
    }
}
