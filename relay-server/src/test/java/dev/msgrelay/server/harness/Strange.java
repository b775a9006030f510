package dev.msgrelay.server.harness;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** What clients of other protocols, and proxies, send first; written down from their documents. */
public final class Strange {
    /** The signature of the PROXY protocol's second version. */
    public static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");

    /** As a frame's header: type 218,762,506, with a body of 854,609 bytes. */
    public static final int TYPE = 218_762_506;

    public static final int BODY = 854_609;

    private Strange() {}

    /**
     * The header of a proxy: PROXY, TCP over IPv4, from 203.0.113.7:40000 to 192.0.2.1:7401; then the client's bytes.
     */
    public static byte[] proxied(byte... client) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(SIGNATURE);
        all.writeBytes(HexFormat.of().parseHex("2111000ccb007107c00002019c401ce9"));
        all.writeBytes(client);
        return all.toByteArray();
    }

    /** The first version's line, then the client's bytes. */
    public static byte[] proxiedByLine(byte... client) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(ascii("PROXY TCP4 203.0.113.7 192.0.2.1 40000 7401\r\n"));
        all.writeBytes(client);
        return all.toByteArray();
    }

    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A ClientHello's first bytes: a record of {@code length} bytes. */
    public static byte[] clientHello(int length) {
        byte[] bytes = new byte[5 + length];
        bytes[0] = 22;
        bytes[1] = 3;
        bytes[2] = 1;
        bytes[3] = (byte) (length >> 8);
        bytes[4] = (byte) length;
        bytes[5] = 1;
        bytes[7] = (byte) (length - 4 >> 8);
        bytes[8] = (byte) (length - 4);
        bytes[9] = 3;
        bytes[10] = 3;
        return bytes;
    }

    /** CONNECT of version 3.1.1, of the client "abcd". */
    public static byte[] mqttConnect() {
        return HexFormat.of().parseHex("101000044d5154540402003c000461626364");
    }
}
