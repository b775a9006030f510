/**
 * What tests of several modules need. Nobody publishes it.
 *
 * <pre>
 *  TestProcess     a program as a process of its own, what it says, and its end
 *  HiddenFiles     files that the user may not read, for root too
 *  Signals         which signals somebody before us has switched off
 *  FreePort        a port that stays free while a relay is away
 *  Commands        all commands of a command line
 *  Directories     removed while somebody writes into them
 * </pre>
 */
package dev.msgrelay.testing;
