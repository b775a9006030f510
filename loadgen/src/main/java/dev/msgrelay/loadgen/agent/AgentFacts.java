package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What an agent says of its host.
 *
 * @param address where its processes listen
 * @param machine cores, JDK, kernel and so on, in the fields of {@link dev.msgrelay.loadgen.measure.Machine#toJson}
 * @param interfaces those that are up; of more than some hundred, not all
 * @param interfaceName the one that has the address; empty where the system does not tell
 * @param silenceMillis how long the agent waits for a controller that says nothing
 */
public record AgentFacts(
        String address, JsonObject machine, List<Interface> interfaces, String interfaceName, long silenceMillis) {
    public AgentFacts {
        interfaces = List.copyOf(interfaces);
    }

    /** A network interface of the agent's host. */
    public record Interface(String name, OptionalInt mtu, OptionalLong megabitsPerSecond) {}

    /** The interface at the agent's end of the link; empty where the agent does not tell. */
    public Optional<Interface> addressInterface() {
        return interfaces.stream()
                .filter(one -> one.name().equals(interfaceName))
                .findFirst();
    }

    /**
     * From a welcome.
     *
     * @throws ProtocolException something is missing or of another form
     */
    static AgentFacts of(JsonObject welcome) throws ProtocolException {
        String address = Messages.text(welcome, "address");
        if (Programs.literal(address) == null) {
            throw new ProtocolException("'" + Messages.printable(address) + "' is not an address");
        }
        if (!(welcome.get("machine") instanceof JsonObject machine)) {
            throw new ProtocolException("the welcome does not tell the machine");
        }
        return new AgentFacts(
                address,
                machine,
                interfaces(welcome),
                welcome.getString("interface", ""),
                Messages.number(welcome, "silenceMillis"));
    }

    private static List<Interface> interfaces(JsonObject welcome) {
        List<Interface> interfaces = new ArrayList<>();
        JsonArray list = welcome.getArray("interfaces", new JsonArray());
        for (int i = 0; i < Math.min(Welcome.MAX_INTERFACES, list.size()); i++) {
            JsonObject one = list.getObject(i, new JsonObject());
            interfaces.add(new Interface(
                    Messages.printable(one.getString("name", "?")),
                    one.has("mtu") ? OptionalInt.of(one.getInt("mtu")) : OptionalInt.empty(),
                    one.has("megabitsPerSecond")
                            ? OptionalLong.of(one.getLong("megabitsPerSecond"))
                            : OptionalLong.empty()));
        }
        return interfaces;
    }
}
