/**
 * Helpers for tests of several modules; not published.
 *
 * <pre>
 *  TestProcess     a program in a process of its own, its output, and its end
 *  HiddenFiles     files that the user may not read, even as root
 *  Signals         signals that a parent process has switched off
 *  FreePort        a port that stays free while a relay is away
 *  ConcurrentTest  a test that runs beside others of its class
 *  Commands        all commands of a command line
 *  Directories     removes directories while another process writes into them
 * </pre>
 */
package dev.msgrelay.testing;
