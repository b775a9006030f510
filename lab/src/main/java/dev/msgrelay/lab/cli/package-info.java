/**
 * The command {@code loadgen lab}, and which experiments there are.
 *
 * <pre>
 *  LabMain   list, all, and each experiment   -->   the experiments' packages   -->   dev.msgrelay.lab
 * </pre>
 *
 * One thread, the command's.
 */
package dev.msgrelay.lab.cli;
