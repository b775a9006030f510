/**
 * What all commands have in common. The only package of this module that needs more than the JDK: picocli, which a
 * command's jar has, and which a program that embeds a library does not need. Static methods without state: any thread.
 */
package dev.msgrelay.protocol.cli;
