package dev.msgrelay.server.net;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Other protocols, recognised by the first bytes of a connection; one table for all TCP ports. Bytes that are a whole
 * frame of the relay's own protocol are not compared.
 */
public enum Stranger {
    /** The first eight bytes are also a valid frame header: type 218,762,506, with a body of 854,609 bytes. */
    PROXY_2("the PROXY protocol, version 2", true, new int[] {
        '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'
    }),
    PROXY_1("the PROXY protocol, version 1", false, text("PROXY ")),
    /**
     * A record (type, version, length) with a ClientHello (type, length, version). One in 64 begins like a valid frame.
     */
    TLS("TLS", true, new int[] {22, 3, Stranger.ANY, Stranger.ANY, Stranger.ANY, 1, 0, Stranger.ANY, Stranger.ANY, 3}) {
        @Override
        boolean fits(ByteBuffer bytes, int offset) {
            int record = uint16(bytes, offset + 3);
            int hello = uint16(bytes, offset + 7);
            // A ClientHello that is longer than its record continues in the next record.
            return record > 4 && hello + 4 >= record && hello <= MOST_HELLO;
        }
    },
    HTTP(
            "HTTP",
            false,
            text("GET "),
            text("POST "),
            text("PUT "),
            text("HEAD "),
            text("DELETE "),
            text("OPTIONS "),
            text("PATCH "),
            text("CONNECT "),
            text("TRACE "),
            text("PRI * ")),
    SSH("SSH", false, text("SSH-")),
    /** An array of strings. The array's length has one or two digits. */
    REDIS("Redis (RESP)", false, new int[] {'*', Stranger.DIGIT, '\r', '\n', '$'}, new int[] {
        '*', Stranger.DIGIT, Stranger.DIGIT, '\r', '\n', '$'
    }),
    /** CONNECT, its length in one to three bytes, and the protocol's name. */
    MQTT(
            "MQTT",
            false,
            new int[] {0x10, Stranger.ANY, 0, 4, 'M', 'Q', 'T', 'T'},
            new int[] {0x10, Stranger.ANY, Stranger.ANY, 0, 4, 'M', 'Q', 'T', 'T'},
            new int[] {0x10, Stranger.ANY, Stranger.ANY, Stranger.ANY, 0, 4, 'M', 'Q', 'T', 'T'},
            new int[] {0x10, Stranger.ANY, 0, 6, 'M', 'Q', 'I', 's', 'd', 'p'});

    /** The length of the longest signature. This number of bytes is always enough to decide. */
    public static final int LONGEST = 12;

    // These stand in a signature for any byte, and for any digit.
    private static final int ANY = -1;
    private static final int DIGIT = -2;

    private static final int MOST_HELLO = 16 << 10;
    private static final Stranger[] ALL = values();

    private enum Match {
        NO,
        /** All bytes match, but there are fewer than the signature has. */
        SO_FAR,
        YES
    }

    private final String words;
    private final boolean lawful;
    private final int[][] signatures;

    /** @param lawful whether the first eight bytes may be a valid frame header */
    Stranger(String words, boolean lawful, int[]... signatures) {
        this.words = words;
        this.lawful = lawful;
        this.signatures = signatures;
    }

    private static int[] text(String ascii) {
        byte[] bytes = ascii.getBytes(StandardCharsets.US_ASCII);
        int[] signature = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            signature[i] = bytes[i];
        }
        return signature;
    }

    /** The protocol's name, for people. */
    public String words() {
        return words;
    }

    /** Whether a proxy sends these bytes, before the bytes of its client. */
    public boolean isProxy() {
        return this == PROXY_1 || this == PROXY_2;
    }

    /** The refusal of a proxy's header, in words for the operators of proxy and relay. */
    public String refusalOfProxy() {
        return refusalAtAdminPort() + ", or start the relay with --proxy-protocol required";
    }

    /** The refusal of a proxy's header at a port that never takes one. */
    public String refusalAtAdminPort() {
        return words + ", is not understood here: switch it off at the proxy in front, such as send-proxy of HAProxy or"
                + " proxy_protocol of nginx";
    }

    /**
     * Returns the protocol of a connection's first bytes; empty if none matches, or there are too few bytes.
     *
     * @param bytes in any byte order
     * @param header true: the bytes may be a frame's header, so only protocols are tried that may look like one
     */
    public static Optional<Stranger> of(ByteBuffer bytes, int offset, int length, boolean header) {
        for (Stranger each : ALL) {
            if ((each.lawful || !header) && each.match(bytes, offset, length) == Match.YES) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Whether {@link #of} may recognise a protocol after further bytes have come. */
    public static boolean mayFollow(ByteBuffer bytes, int offset, int length, boolean header) {
        for (Stranger each : ALL) {
            if ((each.lawful || !header) && each.match(bytes, offset, length) == Match.SO_FAR) {
                return true;
            }
        }
        return false;
    }

    /** Whether a connection's first bytes are this protocol's, as far as they have come. */
    boolean mayBe(ByteBuffer bytes, int length) {
        return match(bytes, 0, length) != Match.NO;
    }

    private Match match(ByteBuffer bytes, int offset, int length) {
        Match best = Match.NO;
        for (int[] signature : signatures) {
            if (agrees(signature, bytes, offset, Math.min(length, signature.length))) {
                if (length < signature.length) {
                    best = Match.SO_FAR;
                } else if (fits(bytes, offset)) {
                    return Match.YES;
                }
            }
        }
        return best;
    }

    private static boolean agrees(int[] signature, ByteBuffer bytes, int offset, int length) {
        for (int i = 0; i < length; i++) {
            int is = bytes.get(offset + i) & 0xFF;
            int wanted = signature[i];
            boolean digit = is >= '0' && is <= '9';
            if (wanted != ANY && (wanted == DIGIT ? !digit : is != wanted)) {
                return false;
            }
        }
        return true;
    }

    /** Whether bytes that match a signature are also consistent with each other. */
    boolean fits(ByteBuffer bytes, int offset) {
        return true;
    }

    private static int uint16(ByteBuffer bytes, int offset) {
        return (bytes.get(offset) & 0xFF) << 8 | bytes.get(offset + 1) & 0xFF;
    }
}
