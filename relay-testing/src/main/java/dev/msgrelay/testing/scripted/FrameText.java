package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.msgrelay.protocol.ControlFrames;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Frames as one line of text, such as {@code WELCOME next=5 flags=1} or {@code MESSAGE type=7 body="one"}. Fields have
 * the names of {@code docs/protocol.md}, with {@code _} for a space; a field that is not named has a sound value.
 *
 * <p>Nothing is checked: a relay that lies is written in the same way. For any frame, {@code more=HEX} appends bytes to
 * the body, {@code only=N} keeps N bytes of it, and {@code length=N} announces another length in the header. {@code
 * BYTES 80 00 ...} is what it says, {@code FRAME type=0x80000055 body=hex:0102} any frame at all, {@code MESSAGES
 * from=1 to=3 type=7} three messages with the bodies "1", "2", "3".
 *
 * <p>Values: decimal or {@code 0x}; bodies {@code "text"}, {@code hex:...}, or {@code size=N} for N zero bytes; ranges
 * {@code 1-5,7-7}; producer ids 32 hex digits; epochs {@code EPOCH:FIRST,EPOCH:FIRST}, from the newest to the oldest.
 */
public final class FrameText {
    /** The epoch of a WELCOME that names none. */
    public static final long EPOCH = 0x1122334455667788L;

    private static final int HEADER = 8;
    private static final int TOKEN = 1 << 16;
    private static final int LEVELS = 1 << 5;
    private static final int EPOCHS = 1 << 6;
    private static final int INTERVAL = 1 << 3;
    private static final int PEER = 1 << 4;

    /** Fields that are there only with a feature. */
    private static final Map<String, Integer> FEATURES = Map.of(
            "token", TOKEN, "level", LEVELS, "epochs", EPOCHS, "interval", INTERVAL, "address", PEER, "identity", PEER);

    private enum Kind {
        U8,
        U16,
        I32,
        I64,
        STRING,
        TEXT,
        ID,
        COUNT,
        RANGES,
        EPOCHS
    }

    /** @param initial null: the field is left out unless it is named */
    private record Field(String name, Kind kind, String initial) {}

    private record Layout(int type, List<Field> fields) {}

    private static final Map<String, Layout> LAYOUTS = new LinkedHashMap<>();

    static {
        layout(
                "HELLO",
                0x80000001,
                "lowest:U16:1 highest:U16:1 role:U8:1 policy:U8:0 start:U8:0 reserved:U8:0"
                        + " features:I32:0 heartbeat:I32:0 epoch:I64:0 number:I64:0 count:COUNT: reserved2:U16:0 reserved3:I32:0"
                        + " ranges:RANGES: name:STRING: producer:ID: token:STRING level:U8 interval:I32");
        layout(
                "WELCOME",
                0x80000002,
                "version:U16:1 policy:U8:1 flags:U8:0 features:I32:3 epoch:I64:" + EPOCH
                        + " next:I64:1 accepted:I64:0 max_body:I32:1048576 heartbeat:I32:1000 idle:I32:60000"
                        + " most_ranges:U16:1024 reserved:U16:0 server:STRING:scripted fork:I64:0 epochs:EPOCHS"
                        + " interval:I32 address:STRING identity:STRING");
        layout("SUBSCRIBE", 0x80000003, "request:I32:0 count:COUNT: reserved:U16:0 ranges:RANGES:");
        layout("PING", 0x80000004, "id:I64:1 next:I64:0 head:I64:0");
        layout("PONG", 0x80000005, "id:I64:1");
        layout("SEQUENCE", 0x80000006, "next:I64:1");
        layout("GAP", 0x80000007, "from:I64:1 to:I64:1 reason:U16:2 reserved:U16:0 reserved2:I32:0");
        layout("ACK", 0x80000008, "number:I64:1 sequence:I64:1 written:I64 forced:I64");
        layout("ERROR", 0x80000009, "code:U16:11 text:TEXT:");
        layout("GOAWAY", 0x8000000A, "code:U16:10 reserved:U16:0 closes_in:I32:1000 text:TEXT:");
        layout("SUBSCRIBED", 0x8000000B, "request:I32:0 reserved:I32:0 sequence:I64:1");
        layout("RETRY_AFTER", 0x8000000C, "ms:I32:300");
    }

    private FrameText() {}

    private static void layout(String name, int type, String fields) {
        List<Field> list = new ArrayList<>();
        for (String field : fields.split(" ")) {
            String[] parts = field.split(":", 3);
            list.add(new Field(parts[0], Kind.valueOf(parts[1]), parts.length < 3 ? null : parts[2]));
        }
        LAYOUTS.put(name, new Layout(type, list));
    }

    /** The name of a frame's type; MESSAGE for that of a message, FRAME for a control frame without a name. */
    public static String name(int type) {
        for (Map.Entry<String, Layout> layout : LAYOUTS.entrySet()) {
            if (layout.getValue().type == type) {
                return layout.getKey();
            }
        }
        return ControlFrames.isControl(type) ? "FRAME" : "MESSAGE";
    }

    /**
     * The bytes of a line, header included, from position 0 to the limit.
     *
     * @throws IllegalArgumentException the line is not of this form
     */
    public static ByteBuffer encode(String line) {
        List<String> words = Words.of(line);
        String name = words.get(0);
        if (name.equals("BYTES")) {
            return ByteBuffer.wrap(HexFormat.of().parseHex(String.join("", words.subList(1, words.size()))));
        }
        return encode(name, Words.fields(words.subList(1, words.size())));
    }

    /** As {@link #encode(String)}; the fields by their names. */
    public static ByteBuffer encode(String name, Map<String, String> fields) {
        Map<String, String> left = new LinkedHashMap<>(fields);
        if (name.equals("MESSAGES")) {
            return messages(left);
        }
        Layout layout = LAYOUTS.get(name);
        byte[] body;
        int type;
        if (layout != null) {
            type = layout.type;
            body = body(layout, left);
        } else if (name.equals("MESSAGE") || name.equals("FRAME")) {
            type = (int) number(left.getOrDefault("type", "1"));
            body = left.containsKey("size") ? new byte[(int) number(left.get("size"))] : bytes(left.get("body"));
            left.keySet().removeAll(List.of("type", "size", "body"));
        } else {
            throw new IllegalArgumentException("no frame has the name " + name);
        }
        return frame(type, body, left);
    }

    /** A frame's fields by their names; those of a message are type and body. A field that is absent is not there. */
    public static Map<String, String> decode(int type, ByteBuffer body) {
        ByteBuffer in = body.duplicate();
        Map<String, String> fields = new LinkedHashMap<>();
        Layout layout = LAYOUTS.get(name(type));
        if (layout == null) {
            fields.put("type", String.valueOf(type));
            fields.put("body", text(in));
            return fields;
        }
        long features = 0;
        for (Field field : layout.fields) {
            Integer feature = FEATURES.get(field.name);
            boolean absent = feature != null && (features & feature) == 0;
            if (!absent && (in.hasRemaining() || field.kind == Kind.TEXT || field.kind == Kind.RANGES)) {
                fields.put(field.name, decode(field.kind, in, fields));
            }
            if (field.name.equals("features")) {
                features = number(fields.get("features"));
            }
        }
        return fields;
    }

    /** A whole number, decimal or with 0x; unsigned ones up to 64 bits too. */
    public static long number(String text) {
        if (text.startsWith("0x")) {
            return Long.parseUnsignedLong(text.substring(2), 16);
        }
        return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
    }

    private static String decode(Kind kind, ByteBuffer in, Map<String, String> before) {
        return switch (kind) {
            case U8 -> String.valueOf(in.get() & 0xFF);
            case U16, COUNT -> String.valueOf(in.getShort() & 0xFFFF);
            case I32 -> String.valueOf(in.getInt());
            case I64 -> String.valueOf(in.getLong());
            case STRING -> {
                ByteBuffer part = in.slice(in.position() + 2, in.getShort(in.position()) & 0xFFFF);
                in.position(in.position() + 2 + part.remaining());
                yield text(part);
            }
            case TEXT -> text(in);
            case ID -> {
                byte[] id = new byte[16];
                in.get(id);
                yield HexFormat.of().formatHex(id);
            }
            case RANGES -> {
                List<String> ranges = new ArrayList<>();
                for (long i = number(before.get("count")); i > 0; i--) {
                    ranges.add(in.getInt() + "-" + in.getInt());
                }
                yield String.join(",", ranges);
            }
            case EPOCHS -> {
                List<String> rows = new ArrayList<>();
                for (int i = in.getInt() >>> Short.SIZE; i > 0; i--) {
                    rows.add(in.getLong() + ":" + in.getLong());
                }
                yield String.join(",", rows);
            }
        };
    }

    private static String text(ByteBuffer in) {
        return UTF_8.decode(in).toString();
    }

    private static ByteBuffer messages(Map<String, String> fields) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (long i = number(fields.get("from")); i <= number(fields.get("to")); i++) {
            ByteBuffer one =
                    encode("MESSAGE", Map.of("type", fields.getOrDefault("type", "1"), "body", String.valueOf(i)));
            all.writeBytes(one.array());
        }
        return ByteBuffer.wrap(all.toByteArray());
    }

    private static byte[] body(Layout layout, Map<String, String> fields) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int ranges = fields.getOrDefault("ranges", "").isEmpty()
                ? 0
                : fields.get("ranges").split(",").length;
        for (Field field : layout.fields) {
            String value = fields.remove(field.name);
            if (value == null) {
                value = field.initial;
            }
            if (field.kind == Kind.COUNT && value.isEmpty()) {
                value = String.valueOf(ranges);
            }
            if (value != null) {
                put(out, field.kind, value);
            }
        }
        return out.toByteArray();
    }

    private static void put(ByteArrayOutputStream out, Kind kind, String value) {
        switch (kind) {
            case U8 -> out.write((int) number(value));
            case U16, COUNT -> putNumber(out, number(value), 2);
            case I32 -> putNumber(out, number(value), 4);
            case I64 -> putNumber(out, number(value), 8);
            case STRING -> {
                byte[] bytes = bytes(value);
                putNumber(out, bytes.length, 2);
                out.writeBytes(bytes);
            }
            case TEXT -> out.writeBytes(bytes(value));
            case ID ->
                out.writeBytes(value.isEmpty() ? new byte[16] : HexFormat.of().parseHex(value));
            case RANGES -> {
                for (String range : value.isEmpty() ? new String[0] : value.split(",")) {
                    int dash = range.indexOf('-', 1);
                    putNumber(out, number(range.substring(0, dash)), 4);
                    putNumber(out, number(range.substring(dash + 1)), 4);
                }
            }
            case EPOCHS -> {
                String[] rows = value.isEmpty() ? new String[0] : value.split(",");
                putNumber(out, (long) rows.length << Short.SIZE, 4);
                for (String row : rows) {
                    int colon = row.indexOf(':');
                    putNumber(out, number(row.substring(0, colon)), 8);
                    putNumber(out, number(row.substring(colon + 1)), 8);
                }
            }
        }
    }

    private static void putNumber(ByteArrayOutputStream out, long value, int bytes) {
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            out.write((int) (value >> shift));
        }
    }

    private static byte[] bytes(String value) {
        if (value == null) {
            return new byte[0];
        }
        return value.startsWith("hex:") ? HexFormat.of().parseHex(value.substring(4)) : value.getBytes(UTF_8);
    }

    private static ByteBuffer frame(int type, byte[] plainBody, Map<String, String> left) {
        byte[] body = plainBody;
        if (left.containsKey("more")) {
            byte[] more = HexFormat.of().parseHex(left.remove("more"));
            body = ByteBuffer.allocate(body.length + more.length)
                    .put(body)
                    .put(more)
                    .array();
        }
        if (left.containsKey("only")) {
            body = java.util.Arrays.copyOf(body, (int) number(left.remove("only")));
        }
        int length = left.containsKey("length") ? (int) number(left.remove("length")) : body.length;
        if (!left.isEmpty()) {
            throw new IllegalArgumentException("no field of " + name(type) + ": " + left.keySet());
        }
        return ByteBuffer.allocate(HEADER + body.length)
                .putInt(type)
                .putInt(length)
                .put(body)
                .flip();
    }
}
