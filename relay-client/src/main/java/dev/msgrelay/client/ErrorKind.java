package dev.msgrelay.client;

import java.io.IOException;

/**
 * What an error means for the program that gets it, as {@code clients/SPEC.md} sorts errors for every language.
 *
 * <pre>{@code
 * try {
 *     subscriber.run((sequence, type, body) -> {});
 * } catch (java.io.IOException e) {
 *     System.exit(ErrorKind.of(e) == ErrorKind.RETRY ? 75 : 1);      // 75: a supervisor starts it again
 * }
 * }</pre>
 */
public enum ErrorKind {
    /** Another try may succeed. The client has made those that its {@link ReconnectPolicy} allows. */
    RETRY,
    /** The same would happen again: the relay refuses this client or what it asks for, or is no relay. */
    FATAL,
    /** A call or an option broke a rule, or the program's own code threw. Nothing was sent; the client goes on. */
    YOURS;

    /** The kind of an error that a call of this library threw, or that an event has as its cause. */
    public static ErrorKind of(Throwable error) {
        if (error instanceof PublishException && error.getCause() != null) {
            return of(error.getCause());
        }
        if (error instanceof IOException end && !(error instanceof CredentialsException)) {
            return RetryAdvice.of(end) == RetryAdvice.STOP ? FATAL : RETRY;
        }
        return YOURS;
    }
}
