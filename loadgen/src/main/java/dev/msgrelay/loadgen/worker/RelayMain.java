package dev.msgrelay.loadgen.worker;

import dev.msgrelay.server.cli.RelayServerMain;

/**
 * The relay as a child of loadgen: the very same program, except that it does not outlive its controller. Without arguments it
 * stands by: what a JVM does before it knows them is done, and it starts when it is told.
 */
public final class RelayMain {
    private RelayMain() {}

    public static void main(String[] args) {
        if (args.length > 0) {
            Control.exitWithParent();
            RelayServerMain.main(args);
        } else {
            RelayServerMain.commandLine();
            Control.standBy(RelayServerMain::main);
        }
    }
}
