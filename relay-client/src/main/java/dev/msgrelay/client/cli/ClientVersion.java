package dev.msgrelay.client.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the build has written into the jar's manifest. */
final class ClientVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = ClientVersion.class.getPackage().getImplementationVersion();
        return new String[] {"relay-client " + (version == null ? "(not packaged)" : version)};
    }
}
