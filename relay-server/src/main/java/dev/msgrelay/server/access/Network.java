package dev.msgrelay.server.access;

import io.netty.util.NetUtil;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Addresses with the same first bits, such as {@code 10.1.0.0/16} or {@code ::1}; or {@code unix}, for all connections
 * to Unix sockets. Immutable.
 *
 * @param address 4 or 16 bytes; empty for Unix sockets
 * @param bits number of first bits that are compared
 */
public record Network(byte[] address, int bits) {
    private static final String UNIX = "unix";
    private static final Pattern WITH_BITS = Pattern.compile("([^/]+)(?:/(\\d{1,3}))?");

    /** @throws IllegalArgumentException the message contains the text, and the rule that the text breaks */
    public static Network parse(String text) {
        if (text.equals(UNIX)) {
            return new Network(new byte[0], 0);
        }
        Matcher parts = WITH_BITS.matcher(text);
        byte[] address = parts.matches() ? NetUtil.createByteArrayFromIpAddressString(parts.group(1)) : null;
        if (address == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is neither an address, nor a network such as 10.1.0.0/16, nor " + UNIX);
        }
        int most = address.length * Byte.SIZE;
        int bits = parts.group(2) == null ? most : Integer.parseInt(parts.group(2));
        if (bits > most) {
            throw new IllegalArgumentException("'" + text + "': " + bits + " bits are over the limit of " + most);
        }
        int last = new BigInteger(1, address).getLowestSetBit();
        if (last >= 0 && last < most - bits) {
            throw new IllegalArgumentException(
                    "'" + text + "' has bits behind its first " + bits + ": these must be 0");
        }
        return new Network(address, bits);
    }

    /** Whether this stands for Unix sockets. */
    public boolean isUnix() {
        return address.length == 0;
    }

    boolean contains(Peer peer) {
        return peer.address().map(InetAddress::getAddress).map(this::contains).orElse(isUnix());
    }

    public boolean contains(InetAddress other) {
        return contains(other.getAddress());
    }

    private boolean contains(byte[] other) {
        int first = Arrays.mismatch(address, other);
        if (first < 0 || address.length != other.length) {
            return first < 0;
        }
        int same = Integer.numberOfLeadingZeros((address[first] ^ other[first]) & 0xFF) - 24;
        return first * Byte.SIZE + same >= bits;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Network that && bits == that.bits && Arrays.equals(address, that.address);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(address) + bits;
    }

    @Override
    public String toString() {
        return isUnix() ? UNIX : NetUtil.bytesToIpAddress(address) + "/" + bits;
    }
}
