package dev.msgrelay.client;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/** Lines that a user must see: in the log, or on stderr where slf4j has no provider that would write them. */
final class SeenLog {
    private SeenLog() {}

    static void warn(Logger log, String line) {
        if (isSilent()) {
            System.err.println("relay: " + line);
        } else {
            log.warn("{}", line);
        }
    }

    /** Whether no log is written, whatever its levels are. */
    static boolean isSilent() {
        return LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory;
    }
}
