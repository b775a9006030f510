package dev.msgrelay.server.harness;

import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace that is joined to this one by two virtual interfaces; it and they are gone when it is closed. As
 * root only. There is one in a JVM at a time.
 */
public final class Namespace implements AutoCloseable {
    private static final long PID = ProcessHandle.current().pid();

    // Of networks that are for tests of devices: nobody has them, nor has another run of a test the same one.
    private final String network = "198.18." + PID / 64 % 256 + ".";
    private final String name = "relay" + PID;
    private final String here = "rh" + PID;
    private final String there = "rt" + PID;
    private String why = "";

    /** Makes it; false: it cannot be, and {@link #why} says why. */
    public boolean up() {
        return ip("netns add " + name)
                && ip("link add " + here + " type veth peer name " + there + " netns " + name)
                && ip("addr add " + host() + "/30 dev " + here)
                && ip("link set " + here + " up")
                && ip("-n " + name + " addr add " + network + (PID % 64 * 4 + 2) + "/30 dev " + there)
                && ip("-n " + name + " link set " + there + " up");
    }

    public String host() {
        return network + (PID % 64 * 4 + 1);
    }

    public String why() {
        return "no network namespace (needs root and iproute2): " + why;
    }

    /** From now on what is sent from there goes in packets of 1,500 bytes, none of which are merged. */
    public boolean shortPackets() {
        return ip("-n " + name + " link set " + there + " mtu 1500 gso_max_segs 1");
    }

    /** From now on nothing goes through, and nobody is told. */
    public boolean down() {
        return ip("-n " + name + " link set " + there + " down");
    }

    /** A class of the tests' that runs there. What it says on stderr is said here. */
    public Process run(Class<?> main, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "ip",
                "netns",
                "exec",
                name,
                ThisMachine.java().toString(),
                "-Xmx64m",
                "-cp",
                ThisMachine.classPath(),
                main.getName()));
        command.addAll(List.of(args));
        return TestProcess.builder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private boolean ip(String command) {
        try {
            TestProcess.Outcome ip = TestProcess.run(("ip " + command).split(" "));
            if (ip.exitCode() == 0) {
                return true;
            }
            why = "ip " + command + ": " + ip.said().strip();
        } catch (IOException | InterruptedException e) {
            why = e.getMessage();
        }
        return false;
    }

    @Override
    public void close() {
        // The interfaces go with it, both of them; a process in it keeps it until it ends.
        ip("link del " + here);
        ip("netns del " + name);
    }
}
