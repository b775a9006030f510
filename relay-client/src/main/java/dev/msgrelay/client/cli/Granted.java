package dev.msgrelay.client.cli;

import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.text.Durations;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says on stderr what a relay grants otherwise than a subscriber has asked for: once, and again where another relay
 * grants something else. Levels are not here: the library gives up where they are not granted. For one thread.
 */
final class Granted {
    private final Policy wanted;
    private final Optional<Duration> interval;
    private final PrintWriter err;
    private String said = "";

    /**
     * @param wanted {@link Policy#RELAY_DEFAULT}: the relay's own will do
     * @param interval with the policy latest; empty: none was asked for
     */
    Granted(Policy wanted, Optional<Duration> interval, PrintWriter err) {
        this.wanted = wanted;
        this.interval = interval;
        this.err = err;
    }

    void event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            String now = difference(connected.welcome());
            if (!now.isEmpty() && !now.equals(said)) {
                err.println(connected.endpoint() + " " + now);
                err.flush();
            }
            said = now;
        }
    }

    private String difference(WelcomeFrame welcome) {
        List<String> differences = new ArrayList<>();
        if (wanted != Policy.RELAY_DEFAULT && welcome.policy() != wanted) {
            differences.add("does not grant --policy " + wanted.flag()
                    + (welcome.policy() == Policy.RELAY_DEFAULT
                            ? ": its own holds"
                            : ": its policy for this subscriber is "
                                    + welcome.policy().flag()));
        } else if (interval.isPresent() && interval.get().toMillis() != welcome.intervalMillis()) {
            differences.add("does not grant --interval " + Durations.format(interval.get())
                    + (welcome.intervalMillis() == 0
                            ? ": messages come as with --policy latest alone"
                            : ": its interval for this subscriber is "
                                    + Durations.format(Duration.ofMillis(welcome.intervalMillis()))));
        }
        if (welcome.grants(Features.NARROWED)) {
            differences.add("grants only some of the types: its access block leaves the others out");
        }
        return String.join(", and ", differences);
    }
}
