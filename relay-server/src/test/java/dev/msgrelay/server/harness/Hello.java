package dev.msgrelay.server.harness;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A publisher's HELLO and the other control frames that it sends, as bytes, independently of the code under test. */
public final class Hello {
    public static final int HELLO = 0x80000001;
    public static final int WELCOME = 0x80000002;
    public static final int PING = 0x80000004;
    public static final int PONG = 0x80000005;
    public static final int ACK = 0x80000008;
    public static final int ERROR = 0x80000009;
    public static final int GOAWAY = 0x8000000A;

    private String name = "";
    private int features;
    private int heartbeatMillis;
    private long epoch;
    private long number;
    private byte[] producer = {};
    private byte[] level = {};

    /** Without ACKS and without a name. */
    public static Hello plain() {
        return new Hello();
    }

    /** With ACKS; the first message that follows has this number, 0: WELCOME's accepted + 1. */
    public static Hello acks(String name, long number) {
        Hello hello = plain().name(name).features(1);
        hello.number = number;
        return hello;
    }

    public Hello heartbeat(int millis) {
        heartbeatMillis = millis;
        return this;
    }

    public Hello epoch(long value) {
        epoch = value;
        return this;
    }

    public Hello features(int value) {
        features = value;
        return this;
    }

    public Hello name(String value) {
        name = value;
        return this;
    }

    /** With the producer id, 16 bytes, behind the name. */
    public Hello producer(long high, long low) {
        producer = longs(high, low);
        return this;
    }

    /** With LEVELS: 0 stream, 1 written, 2 forced. To be said last. */
    public Hello level(int value) {
        features |= 1 << 5;
        producer = producer.length == 0 ? new byte[16] : producer;
        level = new byte[] {(byte) value};
        return this;
    }

    public byte[] bytes() {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        int length = 42 + utf8.length + producer.length + level.length;
        return ByteBuffer.allocate(8 + length)
                .putInt(HELLO)
                .putInt(length)
                .putShort((short) 1)
                .putShort((short) 1)
                .put(new byte[] {2, 0, 0, 0})
                .putInt(features)
                .putInt(heartbeatMillis)
                .putLong(epoch)
                .putLong(number)
                .putLong(0)
                .putShort((short) utf8.length)
                .put(utf8)
                .put(producer)
                .put(level)
                .array();
    }

    public static byte[] ping(long id) {
        return new Frames().header(PING, 24).raw(longs(id, 0, 0)).bytes();
    }

    public static byte[] pong(long id) {
        return new Frames().header(PONG, 8).raw(longs(id)).bytes();
    }

    public static byte[] error(int code, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return new Frames()
                .header(ERROR, 2 + utf8.length)
                .raw((byte) (code >> 8), (byte) code)
                .raw(utf8)
                .bytes();
    }

    private static byte[] longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * values.length);
        bytes.asLongBuffer().put(values);
        return bytes.array();
    }
}
