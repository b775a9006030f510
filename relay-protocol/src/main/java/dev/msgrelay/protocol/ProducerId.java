package dev.msgrelay.protocol;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The identity of the publisher of a name: 128 random bits in the {@link HelloFrame} of a publisher with
 * acknowledgements. By it the relay recognises the same publisher, connected again, and refuses a stranger. A client
 * that knows the id can take the name, so the id is a secret. Immutable.
 *
 * @param high the first 8 bytes on the wire
 * @param low the last 8 bytes
 */
public record ProducerId(long high, long low) {
    /** The id of a client that sends none. */
    public static final ProducerId NONE = new ProducerId(0, 0);

    /** Bytes on the wire. */
    public static final int LENGTH = 2 * Long.BYTES;

    private static final HexFormat HEX = HexFormat.of();
    private static final int DIGITS = 2 * LENGTH;
    private static final int SHOWN_DIGITS = 8;

    /** A new id, from the system's best random numbers; never {@link #NONE}. */
    public static ProducerId random() {
        SecureRandom random = new SecureRandom();
        ProducerId id;
        do {
            id = new ProducerId(random.nextLong(), random.nextLong());
        } while (id.isNone());
        return id;
    }

    /**
     * Parses the form that {@link #hex} returns.
     *
     * @throws IllegalArgumentException the text is not 32 hexadecimal digits, or all of them are 0
     */
    public static ProducerId parse(String hex) {
        ProducerId id = NONE;
        if (hex.length() == DIGITS && hex.chars().allMatch(HexFormat::isHexDigit)) {
            id = new ProducerId(
                    HexFormat.fromHexDigitsToLong(hex, 0, DIGITS / 2),
                    HexFormat.fromHexDigitsToLong(hex, DIGITS / 2, DIGITS));
        }
        if (id.isNone()) {
            throw new IllegalArgumentException("a producer id is " + DIGITS + " hexadecimal digits, not all 0");
        }
        return id;
    }

    public boolean isNone() {
        return equals(NONE);
    }

    /** All 32 digits: for the file that keeps the id, not for a log. */
    public String hex() {
        return HEX.toHexDigits(high) + HEX.toHexDigits(low);
    }

    /** A short form for people and logs: enough to tell two ids apart, too little to take a name with. */
    @Override
    public String toString() {
        return isNone() ? "none" : hex().substring(0, SHOWN_DIGITS) + "...";
    }
}
