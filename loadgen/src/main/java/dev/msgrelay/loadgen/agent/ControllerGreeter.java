package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonObject;
import java.io.IOException;

/** The controller's part of the greeting, see {@link AgentGreeter}. It believes nobody who does not know the token. */
final class ControllerGreeter {
    private final Token token;
    private final String version;

    ControllerGreeter(Token token, String version) {
        this.token = token;
        this.version = version;
    }

    /**
     * @param deadline a {@link System#nanoTime}
     * @throws ProtocolException the other side refuses, is no agent, or one of another version, or knows no token
     */
    AgentFacts greet(LineChannel channel, long deadline) throws IOException {
        String controllerNonce = Proof.nonce();
        JsonObject hello = Messages.of(Messages.HELLO);
        hello.put("loadgen", version);
        hello.put("protocol", Messages.PROTOCOL);
        hello.put("nonce", controllerNonce);
        channel.send(hello);
        JsonObject challenge = expect(channel, Messages.CHALLENGE, deadline);
        String theirs = Messages.text(challenge, "loadgen");
        long protocol = Messages.number(challenge, "protocol");
        if (protocol != Messages.PROTOCOL || !theirs.equals(version)) {
            throw new ProtocolException(LoadgenVersion.difference(theirs, protocol, version, Messages.PROTOCOL));
        }
        String agentNonce = Proof.checkedNonce(Messages.text(challenge, "nonce"));
        JsonObject auth = Messages.of(Messages.AUTH);
        auth.put("proof", Proof.of(token, Proof.CONTROLLER, controllerNonce, agentNonce));
        channel.send(auth);
        JsonObject welcome = expect(channel, Messages.WELCOME, deadline);
        String expected = Proof.of(token, Proof.AGENT, controllerNonce, agentNonce);
        if (!Proof.matches(expected, Messages.text(welcome, "proof"))) {
            throw new ProtocolException("it does not know the token");
        }
        return AgentFacts.of(welcome);
    }

    private static JsonObject expect(LineChannel channel, String type, long deadline) throws IOException {
        JsonObject message = channel.readGreeting(LineChannel.MAX_WELCOME, deadline);
        if (Messages.type(message).equals(Messages.REFUSED)) {
            throw new ProtocolException("it refused: " + Messages.printable(message.getString("message", "")));
        }
        if (!Messages.type(message).equals(type)) {
            throw new ProtocolException(
                    "expected '" + type + "', not '" + Messages.printable(Messages.type(message)) + "'");
        }
        return message;
    }
}
