package dev.msgrelay.client;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;

/**
 * The relay cannot do what the client's options need; trying again would not help. The message says what and why.
 *
 * <pre>{@code
 * try {
 *     subscriber.run((sequence, type, body) -> {});
 * } catch (RelayUnsuitableException e) {
 *     System.err.println("not with this relay: " + e.getMessage());
 * }
 * }</pre>
 */
public final class RelayUnsuitableException extends IOException {
    private static final long serialVersionUID = 1L;

    RelayUnsuitableException(String message, Throwable cause) {
        super(message, cause);
    }

    RelayUnsuitableException(String message) {
        super(message);
    }

    /** @param option name of the option that asks for the level */
    static RelayUnsuitableException noLevel(Endpoint endpoint, String option, Level level) {
        return new RelayUnsuitableException("the relay at " + endpoint + " keeps no journal, so " + option + " "
                + level.flag() + " is not possible");
    }
}
