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
    /** A host of containers may have thousands: the first ones by name are told, and the one that matters. */
    static final int MAX_INTERFACES = 256;

    private Welcome() {}

    /**
     * @param proof the agent's own
     */
    static JsonObject of(String proof, AgentSettings settings) {
        return of(proof, settings, new NetInterfaces(SystemTree.ofThisHost()));
    }

    static JsonObject of(String proof, AgentSettings settings, NetInterfaces all) {
        JsonObject welcome = Messages.of(Messages.WELCOME);
        welcome.put("proof", proof);
        welcome.put("silenceMillis", settings.limits().silence().toMillis());
        welcome.put("address", settings.data().getHostAddress());
        Optional<NetInterface> own = RemoteLink.interfaceOf(settings.data(), all);
        welcome.put("interface", own.map(NetInterface::name).orElse(""));
        welcome.put("machine", Machine.here().toJson());
        Map<String, NetInterface> up = new TreeMap<>();
        own.ifPresent(one -> up.put(one.name(), one));
        all.up().stream().limit(MAX_INTERFACES - 1L).forEach(one -> up.putIfAbsent(one.name(), one));
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
