package dev.msgrelay.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.msgrelay.server.harness.Strange;
import dev.msgrelay.server.net.ProxyHeader.State;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of proxies in any pieces: the client's address, or nothing, and never a byte of what comes behind. */
class ProxyHeaderTest {
    private static final byte[] CLIENT = Strange.ascii("PROXY \r\n behind the header");
    private static final IntPredicate ROOM = bytes -> true;
    private static final IntPredicate NO_ROOM = bytes -> false;

    /** Version 2: signature, command, family, length; then the rest in hex. */
    private static byte[] second(int command, int family, String rest) {
        byte[] fields = HexFormat.of().parseHex(rest.replace(" ", ""));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(Strange.SIGNATURE);
        all.write(command);
        all.write(family);
        all.write(fields.length >> 8);
        all.write(fields.length);
        all.writeBytes(fields);
        return all.toByteArray();
    }

    private static byte[] line(String text) {
        return Strange.ascii(text + "\r\n");
    }

    /** Reads a header as a socket brings it, at most {@code piece} bytes at a time, with the client's bytes behind. */
    private static ProxyHeader read(byte[] header, int piece) {
        ProxyHeader read = new ProxyHeader();
        byte[] all = Arrays.copyOf(header, header.length + CLIENT.length);
        System.arraycopy(CLIENT, 0, all, header.length, CLIENT.length);
        State state = State.INCOMPLETE;
        while (state == State.INCOMPLETE) {
            int from = read.length();
            int most = Math.min(piece, read.mostToRead());
            assertThat(most).isPositive();
            assertThat(from + most).as("read in all").isLessThanOrEqualTo(header.length);
            state = read.add(Unpooled.wrappedBuffer(all, from, most), ROOM);
        }
        assertThat(state).isEqualTo(State.WHOLE);
        assertThat(read.length()).isEqualTo(header.length);
        return read;
    }

    private static void assertClient(byte[] header, String address, int port) {
        for (int piece : new int[] {1, 2, 7, 100_000}) {
            assertThat(read(header, piece).client()).contains(new InetSocketAddress(address, port));
        }
    }

    private static void assertNobody(byte[] header) {
        for (int piece : new int[] {1, 100_000}) {
            assertThat(read(header, piece).client()).isEmpty();
        }
    }

    private static State add(ProxyHeader header, byte... bytes) {
        return header.add(Unpooled.wrappedBuffer(bytes), ROOM);
    }

    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 203.0.113.7 192.0.2.1 40000 7401, 203.0.113.7, 40000",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 2, 1.2.3.4, 1",
        "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535, 255.255.255.255, 65535",
        "PROXY TCP6 2001:db8::7 2001:db8::1 40000 7401, 2001:db8::7, 40000",
        "PROXY TCP6 ::1 :: 1 2, ::1, 1",
        "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:fff1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535,"
                + " ffff:ffff:ffff:ffff:ffff:ffff:ffff:fff1, 65535",
    })
    void version1(String text, String address, int port) {
        assertClient(line(text), address, port);
    }

    @Test
    void version2() {
        assertClient(Strange.proxied(), "203.0.113.7", 40_000);
        String ports = "9c40 1ce9";
        assertClient(
                second(0x21, 0x21, "20010db8 00000000 00000000 00000007 20010db8 00000000 00000000 00000001" + ports),
                "2001:db8::7",
                40_000);
        // An address of IPv4 as a socket for both gives it.
        assertClient(
                second(0x21, 0x21, "00000000 00000000 0000ffff cb007107 00000000 00000000 0000ffff c0000201" + ports),
                "203.0.113.7",
                40_000);
    }

    /** ALPN, unique id, SSL with a name within, a network namespace, NOOP, and types that nobody has defined. */
    @Test
    void fieldsBehindTheAddresses() {
        String addresses = "cb007107 c0000201 9c40 1ce9";
        String fields = "01 0002 6832" + "05 0004 61626364" + "20 000c 01 00000000 22 0004 726f6f74" + "30 0001 78"
                + "04 0003 000000" + "ee 0002 ffff" + "7f 0000";
        assertClient(second(0x21, 0x11, addresses + fields), "203.0.113.7", 40_000);
        // One field that takes all that a header may have.
        byte[] longest = Arrays.copyOf(second(0x21, 0x11, addresses), ProxyHeader.MOST_2);
        longest[14] = (byte) 0xFF;
        longest[15] = (byte) 0xFF;
        int value = longest.length - 16 - 12 - 3;
        longest[28] = (byte) 0xEE;
        longest[29] = (byte) (value >> 8);
        longest[30] = (byte) value;
        assertClient(longest, "203.0.113.7", 40_000);
    }

    @Test
    void connectionsWithoutAClientOfTcp() {
        assertNobody(line("PROXY UNKNOWN"));
        assertNobody(line("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535"));
        // LOCAL: alone, with fields behind it, and with addresses that are to be ignored.
        assertNobody(second(0x20, 0x00, ""));
        assertNobody(second(0x20, 0x00, "04 0003 000000"));
        assertNobody(second(0x20, 0x11, "cb007107 c0000201 9c40 1ce9"));
        // UNSPEC, and UDP over IPv4.
        assertNobody(second(0x21, 0x00, ""));
        assertNobody(second(0x21, 0x12, "cb007107 c0000201 9c40 1ce9"));
        // A Unix socket: two paths of 108 bytes.
        assertNobody(second(0x21, 0x31, "2f61".repeat(108)));
    }

    @Test
    void everyBeginningIsIncomplete() {
        for (byte[] whole :
                new byte[][] {Strange.proxied(), Strange.proxiedByLine(), second(0x20, 0, ""), line("PROXY UNKNOWN")}) {
            for (int cut = 1; cut < whole.length; cut++) {
                ProxyHeader header = new ProxyHeader();
                for (int i = 0; i < cut; i++) {
                    assertThat(add(header, whole[i]))
                            .as("%d of %d bytes", i + 1, whole.length)
                            .isEqualTo(State.INCOMPLETE);
                }
                assertThat(header.length()).isEqualTo(cut);
            }
        }
    }

    /** The first byte that no header can have tells, wherever it stands. */
    @Test
    void noHeader() {
        for (byte[] signature : new byte[][] {Strange.SIGNATURE, Strange.ascii("PROXY ")}) {
            for (int wrong = 0; wrong < signature.length; wrong++) {
                ProxyHeader header = new ProxyHeader();
                for (int i = 0; i < wrong; i++) {
                    assertThat(add(header, signature[i])).isEqualTo(State.INCOMPLETE);
                }
                assertThat(add(header, (byte) (signature[wrong] ^ 1))).isEqualTo(State.ABSENT);
            }
        }
        // A frame, a ClientHello, HTTP, and PROXY that is a part of a word.
        assertThat(add(new ProxyHeader(), new byte[] {0, 0, 0, 7, 0, 0, 0, 0})).isEqualTo(State.ABSENT);
        assertThat(add(new ProxyHeader(), (byte) 22)).isEqualTo(State.ABSENT);
        assertThat(add(new ProxyHeader(), Strange.ascii("GET / HTTP/1.1"))).isEqualTo(State.ABSENT);
        assertThat(add(new ProxyHeader(), Strange.ascii("PROXYING"))).isEqualTo(State.ABSENT);
    }

    @Test
    void aLineWithoutAnEnd() {
        byte[] text = Strange.ascii("PROXY TCP4 " + "1".repeat(200));
        for (int piece : new int[] {1, 100}) {
            ProxyHeader header = new ProxyHeader();
            State state = State.INCOMPLETE;
            while (state == State.INCOMPLETE) {
                int most = Math.min(piece, header.mostToRead());
                state = header.add(Unpooled.wrappedBuffer(text, header.length(), most), ROOM);
            }
            assertThat(state).isEqualTo(State.TOO_LONG);
            assertThat(header.length()).isEqualTo(ProxyHeader.MOST_1);
        }
        assertThat(read(line("PROXY UNKNOWN " + "x".repeat(ProxyHeader.MOST_1 - 16)), 1)
                        .client())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY TCP4 203.0.113.7 192.0.2.1 40000",
                "PROXY TCP4 203.0.113.7 192.0.2.1 40000 7401 1",
                "PROXY TCP4 203.0.113.700 192.0.2.1 40000 7401",
                "PROXY TCP4 2001:db8::7 2001:db8::1 40000 7401",
                "PROXY TCP6 203.0.113.7 192.0.2.1 40000 7401",
                "PROXY TCP4 203.0.113.7 192.0.2.1 65536 7401",
                "PROXY TCP4 203.0.113.7 192.0.2.1 -1 7401",
                "PROXY TCP5 203.0.113.7 192.0.2.1 40000 7401",
                "PROXY SOMETHING",
                "PROXY",
                "PROXY ",
            })
    void malformedLines(String text) {
        ProxyHeader header = new ProxyHeader();
        byte[] bytes = line(text);
        State state = State.INCOMPLETE;
        for (int i = 0; i < bytes.length && state == State.INCOMPLETE; i++) {
            state = add(header, bytes[i]);
        }
        if (state != State.ABSENT) {
            assertThat(state).isEqualTo(State.WHOLE);
            assertThatIllegalArgumentException().isThrownBy(header::client);
        }
    }

    @Test
    void malformedFields() {
        String addresses = "cb007107 c0000201 9c40 1ce9";
        for (byte[] bytes : new byte[][] {
            // Version 3, a command and a family that are unknown, addresses that are cut, a field that is cut.
            second(0x31, 0x11, addresses),
            second(0x22, 0x11, addresses),
            second(0x21, 0x41, addresses),
            second(0x21, 0x11, "cb007107 c0000201 9c40"),
            second(0x21, 0x21, addresses),
            second(0x21, 0x11, addresses + "ee 0005 ffff"),
        }) {
            assertThatIllegalArgumentException().isThrownBy(() -> read(bytes, 1).client());
        }
    }

    @Test
    void memoryIsAskedForBeforeALongHeaderIsKept() {
        byte[] header = second(0x21, 0x11, "cb007107 c0000201 9c40 1ce9" + "ee 0100" + "00".repeat(256));
        ProxyHeader read = new ProxyHeader();
        assertThat(read.add(Unpooled.wrappedBuffer(header, 0, 15), NO_ROOM)).isEqualTo(State.INCOMPLETE);
        assertThat(read.add(Unpooled.wrappedBuffer(header, 15, 1), NO_ROOM)).isEqualTo(State.NO_ROOM);
        assertThat(read.wholeLength()).isEqualTo(header.length);
        // A short one needs none.
        byte[] small = Strange.proxied();
        ProxyHeader other = new ProxyHeader();
        other.add(Unpooled.wrappedBuffer(small, 0, 15), NO_ROOM);
        other.add(Unpooled.wrappedBuffer(small, 15, 1), NO_ROOM);
        assertThat(other.add(Unpooled.wrappedBuffer(small, 16, 12), NO_ROOM)).isEqualTo(State.WHOLE);
    }
}
