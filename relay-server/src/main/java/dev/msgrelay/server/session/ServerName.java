package dev.msgrelay.server.session;

/** What the relay calls itself in WELCOME: {@code relay 0.2.0}, or {@code relay} where it does not come from a jar. */
final class ServerName {
    static final String TEXT = text(ServerName.class.getPackage().getImplementationVersion());

    private ServerName() {}

    private static String text(String version) {
        return version == null ? "relay" : "relay " + version;
    }
}
