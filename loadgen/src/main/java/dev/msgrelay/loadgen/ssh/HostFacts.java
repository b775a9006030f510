package dev.msgrelay.loadgen.ssh;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.host.NetInterface;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.measure.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a second host says of itself, and of how it and the controller see each other.
 *
 * @param machine cores, JDK, kernel and so on
 * @param near the controller's address, as sshd there sees it; empty where it does not tell
 * @param far the address at which what is started there listens; empty where none was given and sshd does not tell
 * @param mtu of the interface that has the far address
 * @param megabitsPerSecond of that interface
 */
record HostFacts(Machine machine, String near, String far, OptionalInt mtu, OptionalLong megabitsPerSecond) {
    /** What sshd tells those that it starts: the client's address and port, the server's address and port. */
    private static final String CONNECTION = "SSH_CONNECTION";

    private static final int CONNECTION_WORDS = 4;

    /**
     * Of this host.
     *
     * @param given the far address; empty: the one that ssh came to
     */
    static HostFacts here(String given) {
        String[] connection = System.getenv().getOrDefault(CONNECTION, "").split(" ");
        boolean told = connection.length == CONNECTION_WORDS;
        String far = given.isEmpty() && told ? connection[2] : given;
        Optional<NetInterface> own = interfaceOf(far);
        return new HostFacts(
                Machine.here(),
                told ? connection[0] : "",
                far,
                own.map(NetInterface::mtu).orElse(OptionalInt.empty()),
                own.map(NetInterface::megabitsPerSecond).orElse(OptionalLong.empty()));
    }

    private static Optional<NetInterface> interfaceOf(String address) {
        try {
            return address.isEmpty()
                    ? Optional.empty()
                    : RemoteLink.interfaceOf(
                            InetAddress.getByName(address), new NetInterfaces(SystemTree.ofThisHost()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    JsonObject toJson() {
        JsonObject json = new JsonObject();
        json.put("machine", machine.toJson());
        json.put("near", near);
        json.put("far", far);
        mtu.ifPresent(bytes -> json.put("mtu", bytes));
        megabitsPerSecond.ifPresent(speed -> json.put("megabitsPerSecond", speed));
        return json;
    }

    static HostFacts of(JsonObject json) {
        return new HostFacts(
                Machine.of(json.getObject("machine", new JsonObject())),
                json.getString("near", ""),
                json.getString("far", ""),
                json.has("mtu") ? OptionalInt.of(json.getInt("mtu")) : OptionalInt.empty(),
                json.has("megabitsPerSecond")
                        ? OptionalLong.of(json.getLong("megabitsPerSecond"))
                        : OptionalLong.empty());
    }
}
