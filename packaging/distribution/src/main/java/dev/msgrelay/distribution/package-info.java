/**
 * What packages carry beside the programs, made from the programs' own options.
 *
 * <pre>
 *   RelayServerMain, RelayClientMain, LoadgenMain --options--> Manuals --> relay-server.adoc ...   manual pages
 *                                                                      '-> relay-server ...        bash, zsh, fish
 * </pre>
 *
 * <p><b>Internal:</b> run by the build only, by its one thread.
 */
package dev.msgrelay.distribution;
