package dev.msgrelay.loadgen.agent;

/**
 * Which agent, and how its host and this one reach each other where that is not how the controller reaches the agent:
 * through a tunnel, or over another network.
 *
 * @param host name or address of the agent
 * @param nearAddress at which the agent's processes reach this host; null: the one that the connection to the agent has
 * @param farAddress at which this host reaches the agent's processes; null: the one that the agent tells
 */
public record AgentTarget(String host, int port, String nearAddress, String farAddress) {
    private static final int MAX_PORT = 65_535;

    /**
     * {@code host}, {@code host:port} or {@code [v6]:port}.
     *
     * @throws IllegalArgumentException naming the text and what is wrong with it
     */
    public static AgentTarget parse(String text) {
        int colon = text.lastIndexOf(':');
        boolean withPort = colon >= 0 && !text.endsWith("]") && (text.indexOf(':') == colon || text.startsWith("["));
        String host = withPort ? text.substring(0, colon) : text;
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (host.isBlank()) {
            throw new IllegalArgumentException("'" + text + "' is not HOST or HOST:PORT");
        }
        return new AgentTarget(
                host, withPort ? port(text, text.substring(colon + 1)) : AgentSettings.DEFAULT_PORT, null, null);
    }

    private static int port(String text, String digits) {
        if (!digits.matches("\\d{1,5}") || Integer.parseInt(digits) < 1 || Integer.parseInt(digits) > MAX_PORT) {
            throw new IllegalArgumentException("port '" + digits + "' of '" + text + "' is not within 1.." + MAX_PORT);
        }
        return Integer.parseInt(digits);
    }

    /** With addresses of its own for the load; null: as they are found. */
    public AgentTarget withAddresses(String near, String far) {
        return new AgentTarget(host, port, near, far);
    }
}
