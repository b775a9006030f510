package dev.msgrelay.loadgen.site;

/**
 * The ports at which what is started at a site listens for the load, so that a firewall can know them.
 *
 * @param publish where messages are taken; 0: any free one
 * @param subscribe where they are given; 0: any free one
 */
public record DataPorts(int publish, int subscribe) {
    /** Whichever the system gives, other ones for every run. */
    public static final DataPorts ANY = new DataPorts(0, 0);

    private static final int MAX_PORT = 65_535;

    /**
     * From {@code "7400,7401"}.
     *
     * @throws IllegalArgumentException naming the text and what is wrong with it
     */
    public static DataPorts parse(String text) {
        String[] ports = text.split(",", -1);
        if (ports.length != 2) {
            throw new IllegalArgumentException("'" + text + "' is not two ports, like 7400,7401");
        }
        DataPorts parsed = new DataPorts(port(ports[0].trim()), port(ports[1].trim()));
        if (parsed.publish == parsed.subscribe) {
            throw new IllegalArgumentException("'" + text + "' is one port twice");
        }
        return parsed;
    }

    private static int port(String digits) {
        if (!digits.matches("\\d{1,5}") || Integer.parseInt(digits) < 1 || Integer.parseInt(digits) > MAX_PORT) {
            throw new IllegalArgumentException("port '" + digits + "' is not within 1.." + MAX_PORT);
        }
        return Integer.parseInt(digits);
    }

    /** "7400,7401". */
    @Override
    public String toString() {
        return publish + "," + subscribe;
    }
}
