package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.host.NetInterface;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.measure.Machine;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** What an agent tells a controller that has proved that it knows the token; {@link AgentFacts} is what comes of it. */
final class Welcome {
    private Welcome() {}

    /**
     * @param proof the agent's own
     */
    static JsonObject of(String proof, AgentSettings settings) {
        JsonObject welcome = Messages.of(Messages.WELCOME);
        welcome.put("proof", proof);
        welcome.put("silenceMillis", settings.limits().silence().toMillis());
        welcome.put("address", settings.data().getHostAddress());
        welcome.put("interface", interfaceOf(settings.data()));
        welcome.put("machine", Machine.here().toJson());
        welcome.put("interfaces", interfaces());
        return welcome;
    }

    private static JsonArray interfaces() {
        JsonArray interfaces = new JsonArray();
        for (NetInterface one : new NetInterfaces(SystemTree.ofThisHost()).up()) {
            JsonObject json = new JsonObject();
            json.put("name", one.name());
            one.mtu().ifPresent(mtu -> json.put("mtu", mtu));
            one.megabitsPerSecond().ifPresent(speed -> json.put("megabitsPerSecond", speed));
            interfaces.add(json);
        }
        return interfaces;
    }

    private static String interfaceOf(InetAddress address) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(address);
            return found == null ? "" : found.getName();
        } catch (SocketException e) {
            return "";
        }
    }
}
