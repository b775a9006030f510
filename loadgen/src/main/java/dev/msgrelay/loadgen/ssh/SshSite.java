package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A second host. How far its clock is ahead is measured when this is made, and again by {@link #measureClock}, which
 * belongs before and after a run: within a run the value stays the same.
 */
public final class SshSite implements Site, AutoCloseable {
    /** Questions for the other clock: enough for one of them to find both hosts idle. */
    private static final int QUESTIONS = 40;

    /** A controller that said nothing for so long is gone; it says something every two seconds. */
    private static final long SILENCE_MILLIS = 15_000;

    private static final List<String> SMALL_JVM =
            List.of("-XX:+UseSerialGC", "-Xmx32m", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private final SshHost host;
    private final HostTalk talk;
    private final HostMain.Facts facts;
    private final Site.DataPorts ports;
    private volatile ClockOffset clock;
    private volatile long driftNanos;
    private volatile long errorNanos;

    /**
     * Begins the talk with the host.
     *
     * @param farAddress at which this host reaches what listens there; empty: the one that ssh came to
     * @throws IOException in one line that names the host; nothing is left there
     */
    static SshSite open(SshHost host, String farAddress, Site.DataPorts ports)
            throws IOException, InterruptedException {
        HostTalk talk = new HostTalk(
                host.name(),
                host.start(new Site.JavaProgram(SMALL_JVM, HostMain.class.getName(), List.of("" + SILENCE_MILLIS))));
        try {
            return new SshSite(host, talk, talk.facts(farAddress), ports);
        } catch (IOException | InterruptedException | RuntimeException e) {
            talk.close();
            throw e;
        }
    }

    private SshSite(SshHost host, HostTalk talk, HostMain.Facts facts, Site.DataPorts ports)
            throws IOException, InterruptedException {
        this.host = host;
        this.talk = talk;
        this.facts = facts;
        this.ports = ports;
        this.clock = askedClock();
        this.errorNanos = clock.uncertaintyNanos();
    }

    /** As ssh knows it. */
    @Override
    public String name() {
        return host.name();
    }

    @Override
    public String address() {
        return facts.far();
    }

    @Override
    public Site.DataPorts ports() {
        return ports;
    }

    /** What the host says of its cores, its JDK, its kernel. */
    public Machine machine() {
        return facts.machine();
    }

    HostMain.Facts facts() {
        return facts;
    }

    HostTalk talk() {
        return talk;
    }

    @Override
    public Process start(Site.JavaProgram program) throws IOException {
        SshProcess process = host.start(program);
        process.entrustTo(talk);
        return process;
    }

    /** Asks it there; ssh ends when it has. */
    @Override
    public void terminate(Process process) {
        process.destroy();
    }

    @Override
    public long cpuNanos(Process process) {
        return talk.cpuNanos(((SshProcess) process).pidThere());
    }

    @Override
    public long peakResidentBytes(Process process) {
        return talk.peakResidentBytes(((SshProcess) process).pidThere());
    }

    @Override
    public long nanosAhead() {
        return clock.aheadNanos();
    }

    /** How far the host's clock went ahead between the last two measurements, in nanoseconds; 0 after the first one. */
    public long clockDriftNanos() {
        return driftNanos;
    }

    /**
     * By how much every latency between the two hosts may be wrong that was taken between the last two measurements, in
     * nanoseconds: what a report has to say beside it. That of the one measurement after the first one.
     */
    public long latencyErrorNanos() {
        return errorNanos;
    }

    /**
     * Measures the clocks again; {@link #nanosAhead} has the new value from then on.
     *
     * @throws IOException the host is gone
     */
    public ClockOffset measureClock() throws IOException, InterruptedException {
        ClockOffset now = askedClock();
        driftNanos = now.driftSince(clock);
        errorNanos = clock.errorUntil(now);
        clock = now;
        return now;
    }

    private ClockOffset askedClock() throws IOException, InterruptedException {
        List<ClockOffset.Sample> samples = new ArrayList<>();
        for (int i = 0; i < QUESTIONS; i++) {
            samples.add(talk.clock());
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return ClockOffset.of(samples);
    }

    /** Whatever still runs there is killed. */
    @Override
    public void close() {
        talk.close();
    }
}
