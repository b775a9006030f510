package dev.msgrelay.loadgen.host;

/** Which load generator this is: workers' options and lines differ from one version to the next. */
public final class LoadgenVersion {
    private LoadgenVersion() {}

    /** The version of the jar; "development" where the classes do not come from one. */
    public static String here() {
        String version = LoadgenVersion.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
