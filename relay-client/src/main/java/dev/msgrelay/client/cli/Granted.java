package dev.msgrelay.client.cli;

import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.PrintWriter;

/**
 * Says on stderr what a relay grants otherwise than a subscriber has asked for: once, and again where another relay
 * grants something else. Levels are not here: the library gives up where they are not granted. For one thread.
 */
final class Granted {
    private final Policy wanted;
    private final PrintWriter err;
    private String said = "";

    /** @param wanted {@link Policy#RELAY_DEFAULT}: the relay's own will do */
    Granted(Policy wanted, PrintWriter err) {
        this.wanted = wanted;
        this.err = err;
    }

    void event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            String now = difference(connected.welcome());
            if (!now.isEmpty() && !now.equals(said)) {
                err.println(connected.endpoint() + now);
                err.flush();
            }
            said = now;
        }
    }

    private String difference(WelcomeFrame welcome) {
        String policy = wanted == Policy.RELAY_DEFAULT || welcome.policy() == wanted
                ? ""
                : " does not grant --policy " + wanted.flag()
                        + (welcome.policy() == Policy.RELAY_DEFAULT
                                ? ": its own holds"
                                : ": its policy for this subscriber is "
                                        + welcome.policy().flag());
        if (!welcome.grants(Features.NARROWED)) {
            return policy;
        }
        return policy + (policy.isEmpty() ? "" : ", and")
                + " grants only some of the types: its access block leaves the others out";
    }
}
