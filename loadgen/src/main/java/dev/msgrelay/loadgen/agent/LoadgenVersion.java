package dev.msgrelay.loadgen.agent;

/** Which load generator this is: workers' options and lines differ from one version to the next. */
public final class LoadgenVersion {
    private LoadgenVersion() {}

    /** The version of the jar; "development" where the classes do not come from one. */
    public static String here() {
        String version = LoadgenVersion.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /** For both sides' refusals: "agent: loadgen 1.2, protocol 1; controller: loadgen 1.3, protocol 2". */
    static String difference(String agent, long agentProtocol, String controller, long controllerProtocol) {
        return "versions differ: the agent is loadgen " + Messages.printable(agent) + ", protocol " + agentProtocol
                + "; the controller is loadgen " + Messages.printable(controller) + ", protocol "
                + controllerProtocol;
    }
}
