package dev.msgrelay.loadgen.agent;

import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.IOException;

/**
 * The host of an agent. How far its clock is ahead is measured when this is made, and again by {@link #measureClock},
 * which belongs before and after a run: within a run the value stays the same.
 */
public final class AgentSite implements Site {
    /** Questions for the other clock: enough for one of them to find both hosts idle. */
    private static final int PINGS = 40;

    private final AgentConnection connection;
    private final String address;
    private volatile ClockOffset clock;
    private volatile long driftNanos;
    private volatile long errorNanos;

    /**
     * @throws IOException the agent is gone
     */
    public AgentSite(AgentConnection connection) throws IOException, InterruptedException {
        this(connection, connection.facts().address());
    }

    /**
     * @param address at which this host reaches what listens there, in place of the one that the agent tells
     */
    public AgentSite(AgentConnection connection, String address) throws IOException, InterruptedException {
        this.connection = connection;
        this.address = address;
        this.clock = connection.measureClock(PINGS);
        this.errorNanos = clock.uncertaintyNanos();
    }

    @Override
    public String name() {
        return connection.name();
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public SiteProcess start(JavaProgram program) throws IOException {
        return connection.start(program);
    }

    @Override
    public long nanosAhead() {
        return clock.aheadNanos();
    }

    /** By how much {@link #nanosAhead} may be wrong at the moment of its measurement, in nanoseconds. */
    public long clockUncertaintyNanos() {
        return clock.uncertaintyNanos();
    }

    /** How far the agent's clock went ahead between the last two measurements, in nanoseconds; 0 after the first one. */
    public long clockDriftNanos() {
        return driftNanos;
    }

    /**
     * By how much every latency between the two hosts may be wrong that was taken between the last two measurements, in
     * nanoseconds: what a report has to say beside it. {@link #clockUncertaintyNanos} after the first one.
     */
    public long latencyErrorNanos() {
        return errorNanos;
    }

    /**
     * Measures the clocks again; {@link #nanosAhead} has the new value from then on.
     *
     * @throws IOException the agent is gone
     */
    public ClockOffset measureClock() throws IOException, InterruptedException {
        ClockOffset now = connection.measureClock(PINGS);
        driftNanos = now.driftSince(clock);
        errorNanos = clock.errorUntil(now);
        clock = now;
        return now;
    }

    /** The talk with the agent. */
    public AgentConnection connection() {
        return connection;
    }
}
