package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.host.NetInterface;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.measure.Machine;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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
        NetInterfaces all = new NetInterfaces(SystemTree.ofThisHost());
        Optional<NetInterface> own = RemoteLink.interfaceOf(settings.data(), all);
        welcome.put("interface", own.map(NetInterface::name).orElse(""));
        welcome.put("machine", Machine.here().toJson());
        Map<String, NetInterface> up = new TreeMap<>();
        all.up().forEach(one -> up.put(one.name(), one));
        own.ifPresent(one -> up.put(one.name(), one));
        welcome.put("interfaces", interfaces(up.values()));
        return welcome;
    }

    private static JsonArray interfaces(Collection<NetInterface> up) {
        JsonArray interfaces = new JsonArray();
        for (NetInterface one : up) {
            JsonObject json = new JsonObject();
            json.put("name", one.name());
            one.mtu().ifPresent(mtu -> json.put("mtu", mtu));
            one.megabitsPerSecond().ifPresent(speed -> json.put("megabitsPerSecond", speed));
            interfaces.add(json);
        }
        return interfaces;
    }
}
