package dev.msgrelay.client.cli;

import dev.msgrelay.client.ReconnectPolicy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What a client that says HELLO, or connects again, is told in every command. */
final class SessionOptions {
    /** Enough for a relay to be started anew: with doubled waits it is three quarters of a minute. */
    private static final int DEFAULT_ROUNDS = 10;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What the relay is to call this client, in its log as well. Says HELLO.")
    private String name;

    @Option(
            names = "--reconnect",
            paramLabel = "N",
            converter = Rounds.class,
            description =
                    "Connect again after a loss: N rounds through the endpoints, with growing waits; endless; none."
                            + " Says HELLO, to go on where it stood. Default: " + DEFAULT_ROUNDS
                            + " for a client that says HELLO or has several endpoints, none for any other.")
    private ReconnectPolicy reconnect;

    @Option(
            names = "--plain",
            description = "No HELLO, for a relay that does not know it: what is missed meanwhile is not known then.")
    private boolean plain;

    /** Null: none was given. */
    String name() {
        return name;
    }

    boolean isPlain() {
        return plain;
    }

    /** Whether anything was given that asks for more than one plain connection. */
    boolean areGiven() {
        return name != null || reconnect != null || plain;
    }

    ReconnectPolicy reconnect() {
        return reconnect == null ? ReconnectPolicy.rounds(DEFAULT_ROUNDS) : reconnect;
    }

    /** A number of rounds, or one of two words. */
    static final class Rounds implements ITypeConverter<ReconnectPolicy> {
        @Override
        public ReconnectPolicy convert(String value) {
            try {
                return switch (value) {
                    case "none" -> ReconnectPolicy.none();
                    case "endless" -> ReconnectPolicy.endless();
                    default -> ReconnectPolicy.rounds(Integer.parseInt(value));
                };
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + value + "' is neither a number from 0, nor endless, nor none");
            }
        }
    }
}
