package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonObject;

/**
 * The words of the protocol between controller and agent: one JSON object a line, its kind in {@code type}. docs/agent.md
 * lists them.
 */
final class Messages {
    /** Another number: another protocol. Both sides refuse one that is not their own. */
    static final int PROTOCOL = 1;

    /** Bytes of a child's output, or input, in one message. */
    static final int CHUNK = 32 << 10;

    static final String HELLO = "hello";
    static final String CHALLENGE = "challenge";
    static final String AUTH = "auth";
    static final String WELCOME = "welcome";
    static final String REFUSED = "refused";
    static final String START = "start";
    static final String STARTED = "started";
    static final String FAILED = "failed";
    static final String STDIN = "stdin";
    static final String CLOSE_STDIN = "closeStdin";
    static final String SIGNAL = "signal";
    static final String OUTPUT = "output";
    static final String EXITED = "exited";
    static final String FIGURES = "figures";
    static final String PING = "ping";
    static final String PONG = "pong";
    static final String BYE = "bye";

    static final String TERM = "term";
    static final String KILL = "kill";
    static final String STDOUT = "stdout";
    static final String STDERR = "stderr";

    private static final int MAX_TOLD = 160;

    private Messages() {}

    static JsonObject of(String type) {
        JsonObject message = new JsonObject();
        message.put("type", type);
        return message;
    }

    /** About one process. */
    static JsonObject of(String type, int id) {
        JsonObject message = of(type);
        message.put("id", id);
        return message;
    }

    static JsonObject refused(String reason) {
        JsonObject message = of(REFUSED);
        message.put("message", reason);
        return message;
    }

    static String type(JsonObject message) {
        return message.getString("type", "");
    }

    /**
     * @throws ProtocolException the field is missing, or no text
     */
    static String text(JsonObject message, String field) throws ProtocolException {
        if (message.get(field) instanceof String text) {
            return text;
        }
        throw new ProtocolException("'" + printable(type(message)) + "' has no text '" + field + "'");
    }

    /**
     * @throws ProtocolException the field is missing, or no number
     */
    static long number(JsonObject message, String field) throws ProtocolException {
        if (message.get(field) instanceof Number number) {
            return number.longValue();
        }
        throw new ProtocolException("'" + printable(type(message)) + "' has no number '" + field + "'");
    }

    /** Text of the other side, as it may be shown to people: one short line, no control characters. */
    static String printable(String text) {
        String cut = text.length() > MAX_TOLD ? text.substring(0, MAX_TOLD) + "..." : text;
        return cut.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
