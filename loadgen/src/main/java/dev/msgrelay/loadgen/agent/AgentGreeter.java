package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonObject;
import java.io.IOException;

/**
 * The agent's part of the greeting. A connection has one try.
 *
 * <pre>
 *  controller  hello      version, protocol, nonce C
 *  agent       challenge  version, protocol, nonce A
 *  controller  auth       proof(token, "controller", C, A)
 *  agent       welcome    proof(token, "agent", C, A), facts of the host
 * </pre>
 */
final class AgentGreeter {
    private final Token token;
    private final String version;

    AgentGreeter(Token token, String version) {
        this.token = token;
        this.version = version;
    }

    /** A wrong proof: whoever it is does not know the token. */
    static final class WrongToken extends IOException {
        private static final long serialVersionUID = 1L;

        WrongToken() {
            super("wrong token");
        }
    }

    /**
     * Up to the welcome.
     *
     * @param deadline a {@link System#nanoTime}
     * @return the agent's own proof, for the welcome
     * @throws WrongToken the other side does not know it
     * @throws ProtocolException the other side is no controller, or one of another version
     */
    String greet(LineChannel channel, long deadline) throws IOException {
        JsonObject hello = expect(channel, Messages.HELLO, deadline);
        String theirs = Messages.text(hello, "loadgen");
        long protocol = Messages.number(hello, "protocol");
        if (protocol != Messages.PROTOCOL || !theirs.equals(version)) {
            throw new ProtocolException(LoadgenVersion.difference(version, Messages.PROTOCOL, theirs, protocol));
        }
        String controllerNonce = Proof.checkedNonce(Messages.text(hello, "nonce"));
        String agentNonce = Proof.nonce();
        JsonObject challenge = Messages.of(Messages.CHALLENGE);
        challenge.put("loadgen", version);
        challenge.put("protocol", Messages.PROTOCOL);
        challenge.put("nonce", agentNonce);
        channel.send(challenge);
        JsonObject auth = expect(channel, Messages.AUTH, deadline);
        String expected = Proof.of(token, Proof.CONTROLLER, controllerNonce, agentNonce);
        if (!Proof.matches(expected, Messages.text(auth, "proof"))) {
            throw new WrongToken();
        }
        return Proof.of(token, Proof.AGENT, controllerNonce, agentNonce);
    }

    private static JsonObject expect(LineChannel channel, String type, long deadline) throws IOException {
        JsonObject message = channel.readGreeting(LineChannel.MAX_GREETING, deadline);
        if (!Messages.type(message).equals(type)) {
            throw new ProtocolException(
                    "expected '" + type + "', not '" + Messages.printable(Messages.type(message)) + "'");
        }
        return message;
    }
}
