package dev.msgrelay.server.cli;

/** relay-server with the log that users see: that of tests has errors only. */
public final class TalkingRelayMain {
    private TalkingRelayMain() {}

    public static void main(String[] args) {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "info");
        RelayServerMain.main(args);
    }
}
