package dev.msgrelay.server.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the jar. */
final class VersionFromManifest implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "relay-server " + version(),
            "JVM " + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")"
        };
    }

    /** The relay's version alone. */
    static String version() {
        String version = VersionFromManifest.class.getPackage().getImplementationVersion();
        return version == null ? "(not from a jar)" : version;
    }
}
